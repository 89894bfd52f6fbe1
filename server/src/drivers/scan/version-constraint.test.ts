import { expect, it } from 'vitest';
import { satisfies } from './version-constraint.ts';

it.each<[string, string, boolean | undefined]>([
  ['1.12.6', '1.12.6', true],
  ['1.12.6', '= 1.12.5', false],
  ['1.12.0', '1.12', true],
  ['1.12.6', '!= 1.12.6', false],
  ['1.12.6', '!=1.12.5', true],
  ['1.12.6', '> 1.12.6', false],
  ['1.12.6', '>= v1.12.6', true],
  ['1.12.6', '< 1.13', true],
  ['1.12.6', '<= 1.12.5', false],
  ['1.12.6', '~> 1.12', true],
  ['1.13.0', '~> 1.12', true],
  ['2.0.0', '~> 1.12', false],
  ['1.11.9', '~> 1.12', false],
  ['1.12.6', '~> 1.12.5', true],
  ['1.13.0', '~> 1.12.5', false],
  ['3.0.0', '~> 1', true],
  ['1.12.6', '>= 1.6, < 2.0, != 1.12.6', false],
  ['1.12.6', '>= 1.6, < 2.0', true],
  ['1.13.0-beta1', '>= 1.13', true],
  ['1.12.6', '>= 1.12.0-rc1', undefined],
  ['1.12.6', 'latest', undefined],
  ['1.12.6', '', undefined],
  ['1.12.6', '>= 1.6 < 2.0', undefined],
  ['none', '>= 1', undefined],
  // OpenTofu reads any number of parts.
  ['1.12.6', '>= 1.6.0.1', true],
  ['1.12.6', '>= 1.12.6.1', false],
  ['1.12.6', '< 1.12.6.1', true],
  ['1.12.6', '= 1.12.6.0', true],
  ['1.12.6', '~> 1.12.6.0', false],
])('version %s satisfies "%s": %s', (version, constraint, expected) => {
  expect(satisfies(version, constraint)).toBe(expected);
});
