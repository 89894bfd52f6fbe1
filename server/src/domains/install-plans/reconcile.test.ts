import { expect, test } from 'vitest';
import type { AppError } from '#server/kernel/errors';
import type { PlanRow } from './plan-record.ts';
import { createReconciler, done, findStep, type Step } from './reconcile.ts';

type State = { source?: string; snapshot?: string; run?: string };
const step = (name: keyof State): Step<State, State, never> => ({
  name,
  stage: 'source',
  isDone: (state) => state[name] !== undefined,
  take: async () => () => done<State>({ [name]: name }),
});
const steps = [step('source'), step('snapshot'), step('run')];

test('steps are taken in order, one at a time, until none is left', async () => {
  let state: State = {};
  const taken: string[] = [];
  for (let nextStep = findStep(steps, state); nextStep; nextStep = findStep(steps, state)) {
    taken.push(nextStep.name);
    const progress = (await nextStep.take(state))();
    if (progress.kind === 'done') state = { ...state, ...progress.facts };
  }
  expect(taken).toEqual(['source', 'snapshot', 'run']);
});

test('a completed step is not repeated', () => {
  expect(findStep(steps, { source: 'x' })?.name).toBe('snapshot');
  expect(findStep(steps, { source: 'x', snapshot: 'x', run: 'x' })).toBeUndefined();
});

test('a record is not ended while one of its steps is in progress', async () => {
  type Row = PlanRow<State, 'open' | 'reviewable' | 'failed', 'stopped'>;
  const times = { createdAt: 0, updatedAt: 0, completedAt: null };
  let row: Row = {
    id: 'a',
    workspaceId: 'w',
    createdBy: 'u',
    requestDigest: 'd',
    facts: {},
    phase: 'open',
    generation: 0,
    diagnostic: null,
    ...times,
  };
  const gate = Promise.withResolvers<void>();
  const slow: Step<State, State, 'stopped'> = {
    name: 'slow',
    stage: 'source',
    isDone: () => false,
    take: async () => {
      await gate.promise;
      return () => done<State>({ source: 'x' });
    },
  };
  const { advance, fail } = createReconciler({
    db: { write: (work: () => unknown) => work() } as never,
    clock: { now: () => 1 },
    noun: 'installation',
    steps: [slow],
    getRow: () => row,
    stateOf: ({ facts }: Row) => facts,
    phaseOf: (): Row['phase'] => 'open',
    codeOf: () => 'stopped' as const,
    retryable: { code: 'stopped' as const, message: 'It waits.' },
    move: (_, generation, to) => {
      row = { ...row, ...to, generation: generation + 1 };
      return true;
    },
    record: () => undefined,
    answerOf: ({ phase, generation }: Row) => ({ phase, generation }),
  });
  const stopped = { code: 'stopped', message: 'It was stopped.' } as const;
  const step = advance('a', 'u');
  expect(() => fail('a', stopped)).toThrow(expect.objectContaining({ code: 'reconcile_in_progress' }) as AppError);
  gate.resolve();
  expect((await step)().answer).toEqual({ phase: 'open', generation: 1 });
  expect(fail('a', stopped)).toEqual({ phase: 'failed', generation: 2 });
});
