import type { Run, RunRow, RunStatus } from '#shared/runs/contract';
import type { Diagnostic } from '#shared/runs/feed';
import { workEndOf } from '#shared/runs/work-end';
import { subjectText } from './commit-text.ts';
import { summaryText } from './plan-text.ts';
import type { Paint, Tone } from './terminal.ts';
import { cut, durationText, oneLine, shortCommit, tableText, timeText } from './text.ts';

const tones: Readonly<Record<RunStatus, Tone>> = {
  queued: 'dim',
  running: 'cyan',
  waiting_approval: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'dim',
  expired: 'dim',
};
export const statusText = (status: RunStatus, paint: Paint): string =>
  paint(tones[status], status.replaceAll('_', ' '));

const awaits = { approve: 'waits for an approval', apply: 'waits for its apply' } as const;
const aboutOf = ({ capsuleName, sourceId, capsuleId }: RunRow): string => capsuleName ?? capsuleId ?? sourceId ?? '';

/** Explains why a computed plan does not wait for an approval. */
function restOf({ superseded, obsoletedBy, applyRunId, hasChanges }: RunRow): string | undefined {
  if (applyRunId !== undefined) return undefined;
  if (superseded) return 'superseded';
  if (obsoletedBy !== undefined) return `obsolete: ${obsoletedBy} is newer`;
  return hasChanges === false ? 'no changes' : undefined;
}

/** The outcome of a Run, or what it waits for. */
export const outcomeOf = (run: RunRow): string =>
  run.errorCode ?? (run.awaits ? awaits[run.awaits] : (restOf(run) ?? (run.summary ? summaryText(run.summary) : '')));

/** Subjects of commits by the id of their snapshot. */
type Subjects = ReadonlyMap<string, string>;
const columnWidth = 40;

function commitOf({ resolvedCommit, sourceSnapshotId }: RunRow, subjects: Subjects): string {
  const subject = sourceSnapshotId === undefined ? undefined : subjects.get(sourceSnapshotId);
  return [shortCommit(resolvedCommit), cut(oneLine(subject ?? ''), columnWidth)].join(' ').trim();
}

/** Runs as a table, newest first. */
export const runsText = (runs: readonly RunRow[], subjects: Subjects, paint: Paint): string[] =>
  tableText(
    ['RUN', 'TYPE', 'STATUS', 'OF', 'CREATED', 'COMMIT', ''],
    runs.map((run) => [
      run.id,
      run.type,
      run.status,
      aboutOf(run),
      timeText(run.createdAt),
      commitOf(run, subjects),
      outcomeOf(run),
    ]),
    paint,
  );

/** Rows of what a plan would change, and its outcome or next step. */
const reviewRows = (run: Run): [string, string | undefined][] => [
  ['plan', run.hasChanges === false ? 'no changes' : run.summary && summaryText(run.summary)],
  [
    'approved',
    run.approval &&
      oneLine(
        `${timeText(run.approval.at)} by ${run.approval.by}${run.approval.reason ? `: ${run.approval.reason}` : ''}`,
      ),
  ],
  ['applied by', run.applyRunId],
  ['applies', run.planRunId],
  ['superseded', run.superseded && `${timeText(run.superseded.at)}: ${run.superseded.reason.replaceAll('_', ' ')}`],
  ['obsolete', run.obsoletedBy && `${run.obsoletedBy} is newer`],
  ['awaits', run.awaits && `${awaits[run.awaits]}, until ${timeText(run.planExpiresAt)}`],
];

function tookText(run: Run): string | undefined {
  const end = run.status === 'running' ? undefined : workEndOf(run);
  return run.startedAt === undefined || end === undefined ? undefined : durationText(end - Date.parse(run.startedAt));
}

/** Renders one Run: its type, its status and the duration of its phases. */
export function runText(run: Run, subject: string | undefined, paint: Paint): string[] {
  const rows: [string, string | undefined][] = [
    ['Run', run.id],
    ['type', run.rollbackStateVersionId ? `${run.type} (rollback)` : run.type],
    ['status', statusText(run.status, paint) + (run.errorCode ? ` (${run.errorCode})` : '')],
    ['of', aboutOf(run) && oneLine(`${aboutOf(run)}${run.environment ? ` (${run.environment})` : ''}`)],
    ['commit', run.resolvedCommit && `${shortCommit(run.resolvedCommit)}${run.ref ? ` (${oneLine(run.ref)})` : ''}`],
    ['subject', subjectText(subject)],
    ['tool', run.toolName && `${run.toolName} ${run.toolVersion ?? ''}`],
    ['created', `${timeText(run.createdAt)} by ${run.createdBy}`],
    ['took', tookText(run)],
    ...reviewRows(run),
  ];
  return rows.flatMap(([name, value]) => (value ? [`${paint('dim', name.padEnd(11))} ${value}`] : []));
}

/** Renders a diagnostic with its position, as the tool reports it. */
export function diagnosticText({ severity, message, detail, range, address }: Diagnostic, paint: Paint): string[] {
  const at = [address, range && `${range.filename}:${range.start.line}`].filter((text) => text !== undefined);
  const lines = detail ? detail.split('\n').map((line) => `  ${oneLine(line)}`.trimEnd()) : [];
  return [
    paint(severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim', `${severity}: ${oneLine(message)}`),
    ...(at.length > 0 ? [paint('dim', `  at ${oneLine(at.join(', '))}`)] : []),
    ...lines,
  ];
}
