import { expect, test } from 'vitest';
import { lacksToolOf, poolWaitOf } from './pool-wait.ts';

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

test.each([
  ['the pool local', {}, false],
  [
    'a pool with the tool',
    {
      tools: [
        { name: 'tofu', version: '1.11.0' },
        { name: 'tofu', version: '1.12.6' },
      ],
    },
    false,
  ],
  ['a pool with another version', { tools: [{ name: 'tofu', version: '1.11.0' }] }, true],
  ['a pool with another tool', { tools: [{ name: 'terraform', version: '1.12.6' }] }, true],
] as const)('knows whether an apply waits for the tool of its plan: %s', (_, pool, isLacking) => {
  const plan = { toolName: 'tofu', toolVersion: '1.12.6' } as const;
  const { tools } = pool as { tools?: { name: 'tofu' | 'terraform'; version: string }[] };
  expect(lacksToolOf(tools && { tools }, plan)).toBe(isLacking);
  expect(lacksToolOf(tools && { tools }, undefined)).toBe(false);
});
