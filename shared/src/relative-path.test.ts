import { describe, expect, it } from 'vitest';
import { isBelowRoot, isRelativePath } from './relative-path.ts';
import { RelativePath } from './sources/git-scalars.ts';

const long = (count: number) =>
  `${'d'.repeat(200)}/`
    .repeat(10)
    .slice(0, count - 1)
    .concat('x');

describe('a relative path', () => {
  it.each([
    'a',
    'a/b',
    'a b/c',
    '..a',
    'a.',
    'a..b',
    '.config',
    'ü',
    '...',
    'ab:c',
    '1:',
    'a/C:',
    '%2e%2e',
    long(1_024),
  ])('is canonical: %s', (text) => {
    expect([isRelativePath(text), isBelowRoot(text)]).toEqual([true, true]);
    expect(RelativePath.safeParse(text).success).toBe(true);
  });

  it('counts code points, not UTF-16 units', () => {
    expect(isRelativePath('😀'.repeat(1_024))).toBe(true);
    expect(isRelativePath('😀'.repeat(1_025))).toBe(false);
  });

  it('is a dot for the root, where a folder is meant', () => {
    expect([isRelativePath('.'), isBelowRoot('.')]).toEqual([true, false]);
  });

  it.each([
    ...['', '/', '/a', 'a/', 'a//b', './a', 'a/.', 'a/./b', '..', 'a/..', '../a', 'a/../b'],
    ...['a\\b', 'a\u0000', 'a\n', 'a\u0085b', 'C:', 'c:/a', 'C:a', ' a', 'a ', '\u00a0a', '\ufeffa', 'a\ud800'],
    long(1_025),
  ])('is none: %j', (text) => {
    expect([isRelativePath(text), isBelowRoot(text)]).toEqual([false, false]);
    expect(RelativePath.safeParse(text).success).toBe(false);
  });
});
