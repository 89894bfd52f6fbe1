import { expect, test } from 'vitest';
import { poolWaitOf } from './pool-wait.ts';

test.each([
  ['the pool local', {}, undefined],
  ['a pool without a live machine', { liveMachines: 0, skewedMachines: { older: 0, newer: 0 } }, 'silent'],
  ['a pool with a fitting machine', { liveMachines: 3, skewedMachines: { older: 1, newer: 1 } }, undefined],
  ['older machines alone', { liveMachines: 2, skewedMachines: { older: 2, newer: 0 } }, 'older'],
  ['newer machines alone', { liveMachines: 1, skewedMachines: { older: 0, newer: 1 } }, 'newer'],
  ['older and newer machines', { liveMachines: 2, skewedMachines: { older: 1, newer: 1 } }, 'older'],
] as const)('finds why Runs wait: %s', (_, pool, wait) => {
  expect(poolWaitOf(pool)).toBe(wait);
});
