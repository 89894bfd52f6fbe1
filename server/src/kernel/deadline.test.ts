import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadline, type Deadline, longestTimerMs } from './deadline.ts';
import { createLog } from './log.ts';
import { createWorkGate, openGate, type WorkGate } from './work-gate.ts';

const minute = 60_000;
let deadline: Deadline;
beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(async () => {
  await deadline.stop();
  vi.useRealTimers();
});

function create(parts: {
  findNext: () => number | undefined;
  handlePast?: () => void | Promise<void>;
  gate?: WorkGate;
}) {
  const handlePast = vi.fn(parts.handlePast ?? (() => {}));
  deadline = createDeadline({
    clock: { now: () => Date.now() },
    log: createLog('silent'),
    gate: parts.gate ?? openGate,
    findNext: parts.findNext,
    handlePast,
    failure: 'it failed',
  });
  return handlePast;
}

describe('a deadline', () => {
  it('is not handled while its gate is closed, and is once it opens', () => {
    let isOpen = true;
    let changed = () => {};
    const condition = {
      mayAct: () => isOpen,
      onChange: (listener: () => void) => {
        changed = listener;
      },
    };
    const handlePast = create({ findNext: () => Date.now() + minute, gate: createWorkGate([condition]) });
    deadline.start();
    expect(handlePast).toHaveBeenCalledOnce();
    isOpen = false;
    changed();
    vi.advanceTimersByTime(2 * minute);
    deadline.arm();
    deadline.start();
    expect(handlePast).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
    isOpen = true;
    changed();
    expect(handlePast).toHaveBeenCalledTimes(2);
  });

  it('is handled when it has passed, and no timer runs without one', () => {
    let next: number | undefined = 5 * minute;
    const handlePast = create({ findNext: () => next });
    deadline.arm();
    next = undefined;
    vi.advanceTimersByTime(5 * minute);
    expect(handlePast).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(handlePast).toHaveBeenCalledExactlyOnceWith(5 * minute + 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is looked for again within the hour, however far it is', () => {
    const handlePast = create({ findNext: () => Number.POSITIVE_INFINITY });
    deadline.arm();
    vi.advanceTimersByTime(longestTimerMs);
    expect(handlePast).toHaveBeenCalledOnce();
  });

  it('that has passed waits for the delay of its caller', () => {
    const handlePast = create({ findNext: () => 0 });
    deadline.arm(50);
    vi.advanceTimersByTime(50);
    expect(handlePast).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(handlePast).toHaveBeenCalledOnce();
  });

  it.each(['findNext', 'handlePast'] as const)('is handled a minute after %s has thrown', (name) => {
    const broken = () => {
      throw new Error('the ledger is full');
    };
    const handlePast = create({ findNext: () => undefined, [name]: broken });
    expect(deadline.start).not.toThrow();
    vi.advanceTimersByTime(minute);
    expect(handlePast).toHaveBeenCalledTimes(2);
  });

  it('is handled once at a time, and once more for all that passed then', async () => {
    const ends: (() => void)[] = [];
    const handlePast = create({
      findNext: () => undefined,
      handlePast: () => new Promise<void>((resolve) => void ends.push(resolve)),
    });
    for (let time = 0; time < 3; time += 1) deadline.start();
    expect(handlePast).toHaveBeenCalledTimes(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(handlePast).toHaveBeenCalledTimes(2);
    ends[1]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(handlePast).toHaveBeenCalledTimes(2);
  });

  it('is handled a minute after its work was rejected', async () => {
    const handlePast = create({ findNext: () => 0, handlePast: () => Promise.reject(new Error('the ledger is full')) });
    deadline.start();
    await vi.advanceTimersByTimeAsync(minute - 1);
    expect(handlePast).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(handlePast).toHaveBeenCalledTimes(2);
  });

  it('stops after its work has ended, and is not handled again', async () => {
    let end = () => {};
    const handlePast = create({
      findNext: () => 0,
      handlePast: () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    });
    deadline.start();
    let isStopped = false;
    const stopped = deadline.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(minute);
    expect(isStopped).toBe(false);
    end();
    await stopped;
    await vi.advanceTimersByTimeAsync(minute);
    expect(handlePast).toHaveBeenCalledTimes(1);
  });
});
