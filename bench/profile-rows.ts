import type { JournalRecord } from '#server/runner/contract/execution-spec';

/** Facts of one Run: times at the client and in the ledger in epoch milliseconds, and its journal. */
export type ProfiledRun = {
  requestedAt: number;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
  endedAt: number;
  records: readonly JournalRecord[];
};

/** A part of a Run by name, with its length in milliseconds; undefined where the Run has no such part. */
export type ProfileRow = readonly [name: string, ms: number | undefined];

type Command = Extract<JournalRecord, { t: 'spawned' }>['command'];
type Phase = Extract<JournalRecord, { t: 'phase' }>['phase'];

/**
 * Divides a Run into parts that follow one another, so that each millisecond belongs to one of them: their sum is the
 * time from the request to the end at the client. A part without a mark of its own belongs to the next one.
 */
export function profileRows(run: ProfiledRun): ProfileRow[] {
  let reached = run.requestedAt;
  return marksOf(run).map(([name, at]) => {
    if (at === undefined) return [name, undefined];
    // Two marks can have the other order when work is done side by side; the earlier part then ends at the later mark.
    const end = Math.max(reached, at);
    const ms = end - reached;
    reached = end;
    return [name, ms];
  });
}

/** Names of parts, in their order, each with the time at which it ends. */
function marksOf(run: ProfiledRun): [name: string, at: number | undefined][] {
  const { records } = run;
  const spawned = (...commands: Command[]) =>
    records.find((record) => record.t === 'spawned' && commands.includes(record.command))?.at;
  const phase = (names: readonly Phase[], states: readonly string[]) =>
    records.find((record) => record.t === 'phase' && names.includes(record.phase) && states.includes(record.state))?.at;
  const isApply = spawned('apply') !== undefined;
  const finished = phase(['plan', 'apply'], ['finished']);
  return [
    ['request until the Run is queued', run.createdAt],
    ['queue until the Run is claimed', run.startedAt],
    ["claim until the supervisor's first record", records.find(({ t }) => t === 'started')?.at],
    ['folder, archive, stamp', phase(['init'], ['started', 'reused'])],
    ['until the process of init is known', spawned('init')],
    ['init', spawned('init') && phase(['init'], ['finished'])],
    ['until the process of plan or apply is known', spawned('plan', 'apply')],
    ['plan, or apply', lastOutput(records)],
    ['until show may go', spawned('show')],
    ['show', isApply ? undefined : finished],
    ['end of the apply until it is known', isApply ? finished : undefined],
    ['projection or state, files removed, outcome durable', records.find(({ t }) => t === 'outcome')?.at],
    ['outcome until it is in the ledger', run.finishedAt],
    ['ledger until the client knows', run.endedAt],
  ];
}

/** Returns the time of the last record that the plan or apply command printed. */
function lastOutput(records: readonly JournalRecord[]): number | undefined {
  const start = records.findIndex((one) => one.t === 'spawned' && (one.command === 'plan' || one.command === 'apply'));
  if (start < 0) return undefined;
  const rest = records.slice(start + 1);
  const end = rest.findIndex(({ t }) => t === 'spawned' || t === 'phase' || t === 'outcome');
  return rest.slice(0, end < 0 ? undefined : end).findLast(({ t }) => t === 'log' || t === 'resource')?.at;
}

/** Writes columns of rows as a Markdown table with their sums in the last row. Every column has the same rows. */
export function profileTable(columns: readonly { title: string; rows: readonly ProfileRow[] }[]): string {
  const names = columns[0]?.rows.map(([name]) => name) ?? [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (ms: number | undefined) => (ms === undefined ? '' : String(Math.round(ms)));
  return [
    line(['ms', ...columns.map(({ title }) => title)]),
    line(['---', ...columns.map(() => '---:')]),
    ...names.map((name, index) => line([name, ...columns.map(({ rows }) => cell(rows[index]?.[1]))])),
    line(['**whole**', ...columns.map(({ rows }) => `**${cell(wholeOf(rows))}**`)]),
  ].join('\n');
}

export const wholeOf = (rows: readonly ProfileRow[]): number => rows.reduce((sum, [, ms]) => sum + (ms ?? 0), 0);
