import { describe, expect, it } from 'vitest';
import { absolute, compare } from './median.ts';
import { reportTable } from './report-table.ts';

const apply = compare('apply', [12, 11, 90], [10, 9, 11], 1.3);
const rows = (table: string) => table.split('\n').slice(2);

describe('the table of figures', () => {
  it('has a row per case with its goal, its spread and its date', () => {
    expect(reportTable([apply], '2026-01-02').split('\n')).toEqual([
      '| case | goal | ratio | rounds | measured | compared with | date |',
      '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
      '| apply | 1.3 | 1.20 | 1.20 to 8.18 | 12 ms (11 to 90) | 10 ms (9.0 to 11) | 2026-01-02 |',
    ]);
  });

  it('names the unit of two sizes', () => {
    const size = { ...compare('size', [103.4], [102.2]), unit: 'MiB' as const };
    expect(rows(reportTable([size], 'today'))).toEqual([
      '| size |  | 1.01 | 1.01 to 1.01 | 103 MiB (103 to 103) | 102 MiB (102 to 102) | today |',
    ]);
  });

  it('marks a missed goal, of a ratio and of a value', () => {
    const missed = [compare('plan', [20], [10], 1.5), absolute('painting', [120, 90, 130], { unit: 'ms', goal: 100 })];
    expect(rows(reportTable(missed, 'today'))).toEqual([
      '| plan | 1.5 | **2.00** | 2.00 to 2.00 | 20 ms (20 to 20) | 10 ms (10 to 10) | today |',
      '| painting | 100 ms |  |  | **120 ms** (90 to 130) |  | today |',
    ]);
  });

  it('keeps the rows that were not measured again at their place', () => {
    const before = reportTable([apply, compare('copy', [10], [10])], 'yesterday');
    const after = rows(reportTable([compare('apply', [10], [10], 1.3), compare('new', [1], [1])], 'today', before));
    expect(after.map((row) => [row.split(' | ')[0], row.includes('yesterday')])).toEqual([
      ['| apply', false],
      ['| copy', true],
      ['| new', false],
    ]);
  });

  it('leaves out profiles, which have a table of their own', () => {
    expect(rows(reportTable([{ case: 'profile', medianMs: 1, parts: { init: 1 }, samples: 1 }], 'today'))).toEqual([]);
  });
});
