import { expect, test } from 'vitest';
import { shortfallsOf } from './bounds.ts';

const spec = {
  capsuleDir: '/nowhere/capsules/cap_1',
  limits: { initSeconds: 60, planSeconds: 60, logBytes: 1_024 },
  sandbox: 'none' as const,
  tool: { name: 'tofu' as const, version: '1.12.6', path: '/tofu' },
};

test('on macOS a Run says that nothing is limited, what survives it, and what is in clear text', () => {
  expect(shortfallsOf(spec, 'darwin')).toEqual([
    expect.stringMatching(
      /neither memory nor the number of processes is limited, .*survives the command\. The allowance/,
    ),
    expect.stringMatching(/^This system has no folder in memory: .* in clear text in the folder of the Capsule\.$/),
  ]);
});
