import { Settings } from 'lucide-react';
import { describe, expect, it } from 'vitest';
import type { Entry } from './entry.ts';
import { matchEntries } from './match-entries.ts';

const entry = (label: string, keywords?: string): Entry => ({
  id: label,
  label,
  icon: Settings,
  run: () => undefined,
  ...(keywords !== undefined && { keywords }),
});
const labels = (text: string, ...entries: Entry[]) => matchEntries(entries, text).map(({ label }) => label);

describe('matchEntries', () => {
  it('puts names before words and words before parts, and else keeps the order', () => {
    const entries = [entry('Unset'), entry('Add setting'), entry('Settings'), entry('Set theme'), entry('Runs')];
    expect(labels('set', ...entries)).toEqual(['Settings', 'Set theme', 'Add setting', 'Unset']);
  });

  it('finds a Japanese line by its own text, a full-width text and the English name', () => {
    const line = entry('テーマ: ダーク', 'Theme Dark');
    for (const text of ['ダーク', 'テーマ', 'dark theme', '\uff44\uff41\uff52\uff4b', 'テーマ dark'])
      expect(labels(text, line)).toHaveLength(1);
    expect(labels('light', line)).toEqual([]);
  });
});
