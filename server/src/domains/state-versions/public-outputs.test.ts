import { describe, expect, test } from 'vitest';
import { mistypedOutputs, publicOutputs } from './public-outputs.ts';

const shown = { url: 'https://a.example', size: 3, note: 'n' };

describe('public Outputs are', () => {
  test('all shown Outputs when the configuration publishes all', () => {
    expect(publicOutputs(shown, { all: true })).toEqual(shown);
    expect(publicOutputs(shown, { all: true, allowlist: { url: { from: 'url', type: 'url' } } })).toEqual(shown);
  });

  test('otherwise only those of the list, by their public names; none without a list', () => {
    expect(publicOutputs(shown, { all: false })).toEqual({});
    const allowlist = { address: { from: 'url', type: 'url' as const }, gone: { from: 'gone', type: 'json' as const } };
    expect(publicOutputs(shown, { all: false, allowlist })).toEqual({ address: 'https://a.example' });
  });

  test('neither values of a type that differs from the list nor those that it marks as sensitive', () => {
    const allowlist = {
      size: { from: 'size', type: 'string' as const },
      note: { from: 'note', type: 'url' as const },
      url: { from: 'url', type: 'url' as const, sensitive: true },
      proto: { from: '__proto__', type: 'json' as const },
    };
    expect(publicOutputs(shown, { all: false, allowlist })).toEqual({});
  });
});

test('values of another type than declared are named, and those that are sensitive or absent are not', () => {
  const allowlist = {
    address: { from: 'url', type: 'url' },
    seats: { from: 'url', type: 'number' },
    none: { from: 'nowhere', type: 'number' },
    hidden: { from: 'url', type: 'number', sensitive: true },
  } as const;
  expect(mistypedOutputs({ url: 'https://a.example' }, { all: false, allowlist })).toEqual(['seats']);
});
