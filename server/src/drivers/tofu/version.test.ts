import { describe, expect, it } from 'vitest';
import { compareVersions, satisfies } from './version.ts';

describe('versions', () => {
  it('are ordered as Semantic Versioning orders them', () => {
    const ordered = [
      'nonsense',
      '0.9.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
      '1.2.0',
      '1.10.0',
    ];
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });

  it.each([
    ['1.4.0', '', true],
    ['1.4.0', '1.4.0', true],
    ['1.4.0', '= 1.4', true],
    ['1.4.0', '>= 1.0, < 2.0.0', true],
    ['2.0.0', '>= 1.0, < 2.0.0', false],
    ['1.9.9', '~> 1.4', true],
    ['2.0.0', '~> 1.4', false],
    ['1.4.9', '~> 1.4.2', true],
    ['1.5.0', '~> 1.4.2', false],
    ['1.4.1', '~> 1.4.2', false],
    ['1.4.0', '!= 1.4.0', false],
    ['1.5.0-beta1', '>= 1.4', false],
    ['1.5.0-beta1', '1.5.0-beta1', true],
    ['1.4.0', '>= banana', false],
    ['banana', '>= 1', false],
  ])('%s meets "%s": %s', (version, constraints, met) => {
    expect(satisfies(version, constraints)).toBe(met);
  });
});
