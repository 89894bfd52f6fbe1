import { describe, expect, it } from 'vitest';
import { PackageError } from './package-error.ts';
import { readConstraint, selectVersion } from './select-version.ts';

const published = [
  '1.0.0',
  'v1.2.0',
  '1.10.0',
  '1.9.9',
  '2.0.0-rc1',
  '2.0.0-rc.2',
  '0.9',
  '1.10.0+build',
  'main',
  '1.x',
];
const select = (constraint?: string, versions: string[] = published): string => {
  try {
    return selectVersion(versions, readConstraint(constraint));
  } catch (error) {
    return error instanceof PackageError ? error.code : `not a PackageError: ${error}`;
  }
};

describe('selectVersion', () => {
  // The answers of `tofu get` 1.12.6 for the same list.
  it.each([
    [undefined, '1.10.0'],
    ['1.0.0', '1.0.0'],
    ['= 1.2', '1.2.0'],
    ['v1.2.0', '1.2.0'],
    ['~> 1.2', '1.10.0'],
    ['~> 1.2.0', '1.2.0'],
    ['< 1.0', '0.9.0'],
    ['>= 1, != 1.10.0, < 2', '1.9.9'],
    ['> 1.10', 'version_not_found'],
    ['2.0.0-rc1', '2.0.0-rc1'],
    ['v2.0.0-rc1', '2.0.0-rc1'],
    ['=2.0.0-rc.2', '2.0.0-rc.2'],
    ['>= 2.0.0-rc1', 'version_not_found'],
    ['~> 2.0.0-rc1', 'version_not_found'],
    ['2.0.0-rc1, < 3', 'version_not_found'],
    ['!= 2.0.0-rc1', '1.10.0'],
    ['< 2.0.0-rc1', '1.10.0'],
    ['3.0.0', 'version_not_found'],
    ['', 'constraint_invalid'],
    ['latest', 'constraint_invalid'],
    ['^1.2', 'constraint_invalid'],
    ['>= 1.0 < 2.0', 'constraint_invalid'],
    ['1.*', 'constraint_invalid'],
    ['1.0.0,', 'constraint_invalid'],
  ])('selects for the constraint %j the version %s', (constraint, expected) => {
    expect(select(constraint)).toBe(expected);
  });

  it('selects a pre-release also after a space, where the tool does not', () => {
    expect(select('= 2.0.0-rc1')).toBe('2.0.0-rc1');
  });

  it('does not depend on the order of the list, and keeps the first of equal versions', () => {
    expect(select('~> 1.2', published.toReversed())).toBe('1.10.0+build');
    expect(select('~> 1.2', ['1.9.9', '1.10.0', '1.2.0'])).toBe('1.10.0');
  });

  it('names the newest version when none meets the constraint, and says when there is none', () => {
    expect(() => selectVersion(published, readConstraint('3.0.0'))).toThrow(/newest one is 1\.10\.0/);
    expect(select(undefined, ['main', '1.0.0-beta'])).toBe('version_not_found');
    expect(select('1.0.0-beta', ['main', '1.0.0-beta'])).toBe('1.0.0-beta');
  });

  it('reads long texts quickly', () => {
    const texts = [`1${'.1'.repeat(10_000)}`, `1.0.0-${'a.'.repeat(10_000)}`, ' '.repeat(50_000), '1'.repeat(50_000)];
    for (const text of texts) expect(select(text, [text, '1.0.0'])).toBe('constraint_invalid');
  });
});
