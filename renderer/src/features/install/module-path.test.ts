import { describe, expect, it } from 'vitest';
import { inRepository, modulePathOf, readFolder } from './module-path.ts';

describe('the path of the module', () => {
  const one = [{ path: 'net' }];
  const two = [...one, { path: 'dns' }];

  it('is the only one in the list', () => {
    expect([modulePathOf(one, {}), modulePathOf(two, {}), modulePathOf([], {})]).toEqual(['net', undefined, undefined]);
  });

  it('is the one that was chosen or that a link names, even when the list does not contain it', () => {
    expect(modulePathOf(one, { prefill: { path: 'examples/x' } })).toBe('examples/x');
    expect(modulePathOf([], { modulePath: 'examples/y', prefill: { path: 'examples/x' } })).toBe('examples/y');
  });
});

it('reads a typed folder as the API takes it', () => {
  const texts = [' examples/x ', './examples/x/', '/examples/x', '', ' ', '../x', 'a//b'];
  expect(texts.map(readFolder)).toEqual([
    'examples/x',
    'examples/x',
    'examples/x',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('names a module from the top of the repository', () => {
  expect([inRepository('.'), inRepository('a'), inRepository('.', 'b'), inRepository('a', 'b')]).toEqual([
    '.',
    'a',
    'b',
    'a/b',
  ]);
});
