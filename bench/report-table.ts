import type { AbsoluteResult, BenchResult, CaseResult, Range } from './median.ts';

const head = ['case', 'goal', 'ratio', 'rounds', 'measured', 'compared with', 'date'];

/**
 * Writes results as a Markdown table, one row per case. Rows of `former` whose case is not measured again are kept at
 * their place. A figure in bold misses its goal.
 */
export function reportTable(results: readonly BenchResult[], date: string, former = ''): string {
  const rows = new Map(rowsOf(former).map((row) => [row.split('|')[1]?.trim() ?? '', row]));
  for (const result of results) {
    if ('parts' in result) continue;
    rows.set(result.case, line('ratio' in result ? ratioCells(result, date) : absoluteCells(result, date)));
  }
  return [line(head), '| --- | ---: | ---: | ---: | ---: | ---: | --- |', ...rows.values()].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
/** Returns the rows of a table without its head. */
const rowsOf = (table: string): string[] =>
  table
    .split('\n')
    .filter((text) => text.startsWith('| '))
    .slice(2);

function ratioCells(result: CaseResult, date: string): string[] {
  const { ratio, goal, ratioRange, medianMs, rangeMs, baselineMs, baselineRangeMs, unit = 'ms' } = result;
  const measured = (value: number, range: Range) => `${number(value)} ${unit} (${rangeText(range)})`;
  return [
    result.case,
    goal === undefined ? '' : String(goal),
    marked(ratio.toFixed(2), goal !== undefined && ratio > goal),
    ratioRange === undefined ? '' : ratioRange.map((value) => value.toFixed(2)).join(' to '),
    measured(medianMs, rangeMs),
    measured(baselineMs, baselineRangeMs),
    date,
  ];
}

function absoluteCells({ case: name, unit, median, goal, range }: AbsoluteResult, date: string): string[] {
  const value = marked(`${number(median)} ${unit}`, median > goal);
  return [name, `${goal} ${unit}`, '', '', `${value} (${rangeText(range)})`, '', date];
}

const marked = (text: string, isMissed: boolean): string => (isMissed ? `**${text}**` : text);
const number = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
const rangeText = ([min, max]: Range): string => `${number(min)} to ${number(max)}`;
