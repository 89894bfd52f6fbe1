import { describe, expect, it } from 'vitest';
import { statesOf } from './states.ts';

describe('statesOf', () => {
  it.each([
    ['ready', { ready: true, driftedFields: [], formInstalled: true }, ['ready']],
    ['drifted', { ready: true, driftedFields: ['/replicas'], formInstalled: true }, ['drifted']],
    ['missing, not drifted', { ready: false, driftedFields: [''], formInstalled: true }, ['missing']],
    ['ready without its form', { ready: true, driftedFields: [], formInstalled: false }, ['ready', 'uninstalled']],
  ] as const)('of a Resource that is %s', (_name, observed, states) => {
    expect(statesOf({ ...observed, driftedFields: [...observed.driftedFields] })).toEqual(states);
  });
});
