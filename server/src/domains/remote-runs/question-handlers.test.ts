import { describe, expect, test, vi } from 'vitest';
import { reportedFacts } from '../../../test/runner-machines.ts';
import { versionSkewOf } from '../runner-pools/records.ts';
import { createQuestionHandlers } from './question-handlers.ts';

const offer = { runId: 'plan_1', attempt: 0 };
const claim = { jobId: 'plan_1', ticket: 'a'.repeat(32) };

type Options = {
  fits?: boolean;
  mayAct?: () => boolean;
  confirm?: () => Promise<boolean>;
  behindSince?: () => number | undefined;
};

function open(machine: object = {}, { fits = true, mayAct = () => true, ...points }: Options = {}) {
  const facts = reportedFacts({ jobFormatVersion: 2 });
  const row = { id: 'rnr_1', poolId: 'pool_1', state: 'active', facts, ...machine };
  const answers = { claim: vi.fn(() => claim), permit: vi.fn(), beat: vi.fn(), resume: vi.fn() };
  const offerLater = vi.fn();
  const handlers = createQuestionHandlers({
    answers,
    offerLater,
    workGate: { mayAct },
    points: { confirm: async () => true, behindSince: () => undefined, ...points },
    clock: { now: () => 1 },
    pools: {
      findMachine: () => row,
      noteBeat: () => 'active',
      findVersionSkew: (one: { facts: typeof facts & { name: string } }) => versionSkewOf(one.facts, 2),
    },
    fitsTool: () => fits,
  } as never);
  return { handlers, answers, offerLater };
}

describe('a claim', () => {
  test('of a machine that fits is answered by the ledger', async () => {
    const { handlers, answers, offerLater } = open();
    expect(await handlers.claim('rnr_1', offer)).toEqual(claim);
    expect(answers.claim).toHaveBeenCalledWith({ id: 'rnr_1', poolId: 'pool_1' }, 'plan_1');
    expect(offerLater).not.toHaveBeenCalled();
  });

  test.each([
    ['a machine that is draining', { state: 'draining' }, true, 'not_waiting'],
    ['an older machine', { facts: reportedFacts({ jobFormatVersion: 1 }) }, true, 'runner_outdated'],
    ['a newer machine', { facts: reportedFacts({ jobFormatVersion: 3 }) }, true, 'server_outdated'],
    [
      'a machine without a sandbox',
      { facts: reportedFacts({ jobFormatVersion: 2, sandbox: 'none' as never }) },
      true,
      'sandbox_missing',
    ],
    ['a machine with another tool', {}, false, 'tool_differs'],
  ])('of %s is refused, and the Run is offered to others', async (_, machine, fits, refused) => {
    const { handlers, answers, offerLater } = open(machine, { fits });
    expect(await handlers.claim('rnr_1', offer)).toEqual({ refused });
    expect(answers.claim).not.toHaveBeenCalled();
    expect(offerLater).toHaveBeenCalledWith('plan_1');
  });

  test('of a revoked machine gets nothing, and one to a server that may not act has no answer', async () => {
    const { handlers, answers } = open({ state: 'revoked' });
    expect(await handlers.claim('rnr_1', offer)).toEqual({ refused: 'not_waiting' });
    await expect(handlers.permit('rnr_1', claim)).resolves.toEqual({ refused: 'not_held' });
    await expect(open({}, { mayAct: () => false }).handlers.claim('rnr_1', offer)).rejects.toThrow('may not act');
    expect(answers.claim).not.toHaveBeenCalled();
    expect(answers.permit).not.toHaveBeenCalled();
  });
});

describe('while the replica does not confirm', () => {
  const behind = { confirm: async () => false, behindSince: () => 1 };

  test('nothing is claimed, and the machine gets no answer', async () => {
    const { handlers, answers } = open({}, behind);
    await expect(handlers.claim('rnr_1', offer)).rejects.toThrow('replica');
    expect(answers.claim).not.toHaveBeenCalled();
  });

  test('a claim that was the first to notice is not answered', async () => {
    const { handlers, answers } = open({}, { ...behind, behindSince: () => undefined });
    await expect(handlers.claim('rnr_1', offer)).rejects.toThrow('replica');
    expect(answers.claim).toHaveBeenCalled();
  });

  test('nothing is permitted, because what was permitted counts as started', async () => {
    const { handlers, answers } = open({}, behind);
    await expect(handlers.permit('rnr_1', claim)).rejects.toThrow('replica');
    expect(answers.permit).not.toHaveBeenCalled();
  });

  test('a permit that was the first to notice is not answered, and the machine asks again', async () => {
    const { handlers, answers } = open({}, { ...behind, behindSince: () => undefined });
    answers.permit.mockReturnValue({ answer: 'granted' });
    await expect(handlers.permit('rnr_1', claim)).rejects.toThrow('replica');
    expect(answers.permit).toHaveBeenCalledOnce();
  });

  test('a job is not handed over', async () => {
    const { handlers, answers } = open({}, behind);
    answers.resume.mockReturnValue({ handed: {}, offset: 0 });
    expect(await handlers.resume('rnr_1', claim)).toEqual({ pending: true });
  });

  test('a machine does not learn of the end of a Run, and learns everything else', async () => {
    const { handlers, answers } = open({}, behind);
    const verdicts = (['held', 'ended', 'void'] as const).map((state) => ({ ...claim, state }));
    answers.beat.mockReturnValue(verdicts);
    const states = async (on: typeof handlers) =>
      (await on.beat('rnr_1', { facts: {}, runs: [] } as never)).runs.map(({ state }) => state);
    expect(await states(handlers)).toEqual(['held', 'void']);
    const confirmed = open();
    confirmed.answers.beat.mockReturnValue(verdicts);
    expect(await states(confirmed.handlers)).toEqual(['held', 'ended', 'void']);
  });

  test('an answer that waited is not given by a server that lost its right', async () => {
    let mayAct = true;
    const confirm = async () => {
      mayAct = false;
      return true;
    };
    const { handlers, answers } = open({}, { confirm, mayAct: () => mayAct });
    answers.permit.mockReturnValue({ answer: 'granted' });
    await expect(handlers.permit('rnr_1', claim)).rejects.toThrow('may not act');
  });
});
