import { describe, expect, it } from 'vitest';
import { ApiError } from './client.ts';
import { cancelPlan, type PlanRequests, type ReconcileOptions, reconcileToEnd } from './reconcile.ts';

type Answer = { nextAction: 'reconcile' | 'review_run' | 'none'; at: number };
type Reply = Awaited<ReturnType<PlanRequests<Answer>['reconcile']>>;

const at = (step: number): Answer => ({ nextAction: 'reconcile', at: step });
const over: Answer = { nextAction: 'review_run', at: 9 };
const taken = (body: Answer): Reply => ({ status: 200, body });
const refusal = (code: string) => new ApiError(409, { code, message: code });

class Lost extends Error {}

/** A server that gives these replies in turn, and the waits of the client between them. */
function simulate(replies: readonly (Reply | Error)[], options: Partial<ReconcileOptions<Answer>> = {}) {
  const left = [...replies];
  const waits: number[] = [];
  const seen: number[] = [];
  let reads = 0;
  const requests: PlanRequests<Answer> = {
    reconcile: async () => {
      const reply = left.length > 1 ? left.shift() : left[0];
      if (reply instanceof Error || !reply) throw reply;
      return reply;
    },
    read: async () => {
      reads += 1;
      return { body: at(100) };
    },
  };
  const end = reconcileToEnd(requests, {
    signal: new AbortController().signal,
    onAnswer: (answer) => seen.push(answer.at),
    pause: async (ms) => void waits.push(ms),
    isTransient: (error) => error instanceof Lost,
    ...options,
  });
  return { end, waits, seen, reads: () => reads };
}

describe('reconcileToEnd', () => {
  it('takes one step after the other, without a wait, and returns the last answer', async () => {
    const plan = simulate([taken(at(1)), taken(at(2)), taken(over)]);
    expect(await plan.end).toEqual(over);
    expect([plan.seen, plan.waits]).toEqual([[1, 2, 9], []]);
  });

  it('sends nothing for an answer that is already the last', async () => {
    const plan = simulate([new Error('no request is expected')], { first: over });
    expect(await plan.end).toEqual(over);
  });

  it('waits as long as the server requests while a step is not complete', async () => {
    const plan = simulate([
      { status: 202, body: at(1), retryAfterSeconds: 3 },
      { status: 202, body: at(1) },
      taken(over),
    ]);
    await plan.end;
    expect(plan.waits).toEqual([3_000, 1_000]);
  });

  it('reads the plan and waits longer each time while another client advances it', async () => {
    const busy = Array.from({ length: 6 }, () => refusal('reconcile_in_progress'));
    const plan = simulate([
      ...busy,
      refusal('reconcile_conflict'),
      taken(at(1)),
      refusal('reconcile_conflict'),
      taken(over),
    ]);
    await plan.end;
    expect(plan.reads()).toBe(8);
    expect(plan.waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 1_000]);
  });

  it('repeats a step after a transient error, and throws the error when it does not end', async () => {
    const plan = simulate([new Lost(), new Lost(), taken(over)]);
    expect(await plan.end).toEqual(over);
    expect([plan.seen, plan.waits]).toEqual([[9], [1_000, 2_000]]);
    await expect(simulate([new Lost('away')]).end).rejects.toThrow('away');
  });

  it('throws any other refusal at once', async () => {
    const plan = simulate([refusal('runner_unavailable'), taken(over)]);
    await expect(plan.end).rejects.toMatchObject({ code: 'runner_unavailable' });
    expect(plan.waits).toEqual([]);
  });

  it('stops before a step that a person has to confirm', async () => {
    const plan = simulate([taken(at(1)), taken(at(2)), taken(over)], { holdsAt: async (answer) => answer.at === 2 });
    expect(await plan.end).toEqual(at(2));
  });

  it('ends when a server reports steps without end', async () => {
    const plan = simulate([taken(at(1))]);
    expect(await plan.end).toEqual(at(1));
    expect(plan.seen.length).toBeLessThan(200);
  });

  it('throws the reason of the signal, during a wait or a step, and reports no answer after it', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const waiting = reconcileToEnd(
      {
        reconcile: async () => ({ status: 202, body: at(1), retryAfterSeconds: 600 }),
        read: async () => ({ body: at(1) }),
      },
      { signal },
    );
    setTimeout(() => stop.abort(new Error('stopped')), 10);
    await expect(waiting).rejects.toThrow('stopped');
    const during = new AbortController();
    const seen: Answer[] = [];
    const reconcile = async () => {
      during.abort(new Error('stopped'));
      return taken(at(1));
    };
    const requests = { reconcile, read: async () => ({ body: at(1) }) };
    await expect(
      reconcileToEnd(requests, { signal: during.signal, onAnswer: (answer) => seen.push(answer) }),
    ).rejects.toThrow('stopped');
    expect(seen).toEqual([]);
  });
});

describe('cancelPlan', () => {
  const { signal } = new AbortController();
  const pause = async () => undefined;

  it('awaits a step in progress, but not without end', async () => {
    let tries = 0;
    const cancel = async () => {
      tries += 1;
      if (tries < 3) throw refusal('reconcile_in_progress');
      return { body: over };
    };
    expect(await cancelPlan(cancel, { signal, pause })).toEqual(over);
    const never = async () => {
      throw refusal('reconcile_in_progress');
    };
    await expect(cancelPlan(never, { signal, pause })).rejects.toMatchObject({ code: 'reconcile_in_progress' });
    await expect(cancelPlan(() => Promise.reject(refusal('forbidden')), { signal, pause })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
