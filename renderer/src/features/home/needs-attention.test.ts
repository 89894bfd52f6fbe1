import { expect, it } from 'vitest';
import type { Source } from '#shared/sources/contract';
import { needsAttention } from './needs-attention.ts';

const nothing = {
  requested: [],
  waiting: [],
  left: [],
  running: [],
  failedCapsules: [],
  failedSources: [],
  failedInstalls: [],
  drifted: [],
};

it('reports no attention only when nothing waits, runs, failed or is offered', () => {
  expect(needsAttention(nothing, 0)).toBe(false);
  expect(needsAttention(nothing, 1)).toBe(true);
  expect(needsAttention({ ...nothing, failedSources: [{} as Source] }, 0)).toBe(true);
});
