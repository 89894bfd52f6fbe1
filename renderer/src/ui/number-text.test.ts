import { describe, expect, it } from 'vitest';
import { en } from '../i18n/en/index.ts';
import { ja } from '../i18n/ja/index.ts';
import { bytesText, numberText } from './number-text.ts';

describe('numbers on a screen', () => {
  it('have separators', () => {
    expect([0, 999, 1_234_567].map(numberText)).toEqual(['0', '999', '1,234,567']);
  });

  it('of bytes have a unit and at most one decimal', () => {
    expect([0, 1_023, 1_024, 1_536, 67_108_864, 1_299_234_817].map(bytesText)).toEqual([
      '0 B',
      '1,023 B',
      '1 KiB',
      '1.5 KiB',
      '64 MiB',
      '1.2 GiB',
    ]);
  });

  it.each([
    ['English', en],
    ['Japanese', ja],
  ])('are formatted in every %s text that counts', (_language, texts: Record<string, string>) => {
    const counts = /\{(?:count|add|change|destroy|done|side|waiting)\}/;
    expect(Object.entries(texts).filter(([, text]) => counts.test(text))).toEqual([]);
  });
});
