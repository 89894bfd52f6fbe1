import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { limitOf, pageQueryOf, SearchText, Sequence } from '../kernel/page.ts';
import { Count, listOf, Reason } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { RunListChange, runTriggers } from './changes.ts';
import { Run, RunRow, runStatuses, runTypes } from './contract.ts';
import { AuditEvent, FeedDiagnostic, feedKinds, LogEntry } from './feed.ts';

const runPath = z.strictObject({ runId: z.string() });
/** Start of a commit id, as Git abbreviates it. */
const CommitPrefix = z.string().regex(/^[0-9a-fA-F]{4,64}$/);

export const runsApi = defineApi({
  listRuns: {
    method: 'GET',
    path: '/workspaces/:workspaceId/runs',
    summary: 'Runs of a Workspace, newest first',
    class: 'R',
    descriptor: 63,
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQueryOf(pageSizes.runs).extend({
      capsuleId: z.string().min(1).max(64).optional(),
      type: z.enum(runTypes).optional(),
      status: listOf(runStatuses).optional(),
      awaits: z.enum(['approve', 'apply']).optional(),
      q: SearchText.optional(),
      createdBy: z.string().min(1).max(128).optional(),
      commit: CommitPrefix.optional(),
      trigger: z.enum(runTriggers).optional(),
      view: z.enum(['changes']).optional(),
    }),
    replies: {
      200: z.strictObject({
        runs: z.array(RunRow),
        /** With `view=changes`: the rows of the page, which name Runs in `runs`. */
        changes: z.array(RunListChange).optional(),
        nextCursor: z.string().optional(),
      }),
    },
  },
  getRun: {
    method: 'GET',
    path: '/runs/:runId',
    summary: 'Read a Run',
    class: 'R',
    descriptor: 64,
    params: runPath,
    replies: { 200: z.strictObject({ run: Run }) },
  },
  approveRun: {
    method: 'POST',
    path: '/runs/:runId/approve',
    summary: 'Approve a plan that waits for a person',
    class: 'W',
    descriptor: 65,
    params: runPath,
    body: z.strictObject({ reason: Reason.optional() }),
    replies: { 200: z.strictObject({ run: Run }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
  cancelRun: {
    method: 'POST',
    path: '/runs/:runId/cancel',
    summary: 'Cancel a Run; `interrupt` stops a running apply gracefully',
    class: 'propose',
    descriptor: 67,
    whenArchived: true,
    params: runPath,
    body: z.strictObject({ interrupt: z.boolean().optional() }),
    replies: { 200: z.strictObject({ run: Run }) },
    errors: ['failed_precondition'],
  },
  getRunLogs: {
    method: 'GET',
    path: '/runs/:runId/logs',
    summary: 'Log of a Run, as JSON pages or as plain text (`Accept: text/plain`)',
    class: 'R',
    descriptor: 68,
    params: runPath,
    query: z.object({
      after: Sequence.optional(),
      before: z.union([z.literal('end'), Sequence]).optional(),
      limit: limitOf(pageSizes.log),
    }),
    streams: ['text/plain'],
    replies: {
      200: z.strictObject({
        diagnostics: z.array(FeedDiagnostic),
        auditEvents: z.array(AuditEvent),
        entries: z.array(LogEntry),
        lineCount: Count,
        nextAfter: Count.optional(),
      }),
    },
  },
  getRunEvents: {
    method: 'GET',
    path: '/runs/:runId/events',
    summary: 'Events of a Run, as a list or live (`Accept: text/event-stream`)',
    class: 'R',
    descriptor: 69,
    params: runPath,
    query: z.object({ after: Sequence.optional(), kinds: listOf([...feedKinds, 'end', 'hb']).optional() }),
    streams: ['text/event-stream'],
    replies: { 200: z.strictObject({ auditEvents: z.array(AuditEvent) }) },
  },
});
