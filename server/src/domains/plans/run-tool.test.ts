import { expect, test } from 'vitest';
import type { MachineTool } from '#shared/runner-pools/contract';
import { toolOfNewRun } from './run-tool.ts';

const older = { name: 'tofu', version: '1.12.5' } as const;
const newer = { name: 'tofu', version: '1.12.6' } as const;
const terraform = { name: 'terraform', version: '1.9.8' } as const;
const portsOf = (...tools: MachineTool[]) => ({
  runnerPools: { listPoolTools: () => tools },
  pinnedToolVersion: '1.12.9',
});
const without = { unavailableReason: 'None was found.' };

test('a Run in `local` has the tool of the server, and is refused with its reason when it has none', () => {
  const wanted = { poolId: 'local', needed: undefined };
  expect(toolOfNewRun({ ...wanted, tool: newer }, portsOf(older))).toBe(newer);
  const refused = () => toolOfNewRun({ ...wanted, tool: without }, portsOf(older));
  expect(refused).toThrow(expect.objectContaining({ code: 'runner_unavailable', message: 'None was found.' }));
});

test.each([
  ['one of a machine, whatever the server has', [older], undefined, older],
  ['the one that wrote its state', [newer, terraform], { name: 'terraform' as const }, terraform],
  ['the one that created its plan', [newer, older], older, older],
  ['another one when no machine has what it needs', [terraform], older, terraform],
  ['the one that it needs before any machine has joined', [], older, older],
  ['the pinned one otherwise', [], undefined, { name: 'tofu', version: '1.12.9' }],
])('a Run of a pool has %s', (_, tools: MachineTool[], needed, expected) => {
  for (const tool of [without, newer])
    expect(toolOfNewRun({ poolId: 'pool_a', tool, needed }, portsOf(...tools))).toEqual(expected);
});
