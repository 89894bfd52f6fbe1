import { expect, test } from 'vitest';
import { labelOf } from './label.ts';

const outputs = (...pairs: [string, string][]) => ({
  outputs: Object.fromEntries(pairs.map(([from, to]) => [to, { from, to, required: true }])),
});

test('an edge names its Outputs and counts those that do not fit', () => {
  expect(labelOf(outputs(['url', 'api_url']))).toBe('url → api_url');
  expect(labelOf(outputs(['url', 'url']))).toBe('url');
  expect(labelOf(outputs(['a', 'a'], ['b', 'c'], ['d', 'd'], ['e', 'e']))).toBe('a, b → c, +2');
});
