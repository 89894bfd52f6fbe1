import { expect, test } from 'vitest';
import { done, findStep, type Step } from './reconcile.ts';

type State = { source?: string; snapshot?: string; run?: string };
const step = (name: keyof State): Step<State, State, never> => ({
  name,
  isDone: (state) => state[name] !== undefined,
  take: async () => () => done<State>({ [name]: name }),
});
const steps = [step('source'), step('snapshot'), step('run')];

test('steps are taken in order, one at a time, until none is left', async () => {
  let state: State = {};
  const taken: string[] = [];
  for (let found = findStep(steps, state); found; found = findStep(steps, state)) {
    taken.push(found.name);
    const progress = (await found.take(state))();
    if (progress.kind === 'done') state = { ...state, ...progress.made };
  }
  expect(taken).toEqual(['source', 'snapshot', 'run']);
});

test('what was done before is not done again', () => {
  expect(findStep(steps, { source: 'x' })?.name).toBe('snapshot');
  expect(findStep(steps, { source: 'x', snapshot: 'x', run: 'x' })).toBeUndefined();
});
