import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { RunErrorCode } from '#shared/errors';
import type { PlanSummary } from '#shared/plans/summary';
import { runTriggers } from '#shared/runs/changes';
import { capsuleRunTypes, localPool, type Run, runStatuses, runTypes } from '#shared/runs/contract';
import { feedKinds } from '#shared/runs/feed';

/** Public members of a Run that no query filters by. */
type RunFacts = Partial<
  Pick<
    Run,
    | 'subject'
    | 'environment'
    | 'ref'
    | 'resolvedCommit'
    | 'trigger'
    | 'sourceSnapshotId'
    | 'compatibilityReportId'
    | 'dependencySnapshotId'
    | 'rollbackStateVersionId'
    | 'driftCount'
    | 'toolName'
    | 'toolVersion'
    | 'providerLockDigest'
    | 'planArtifactRef'
    | 'summary'
    | 'hasChanges'
    | 'phaseTimings'
    | 'policyStatus'
    | 'requiresApproval'
    | 'approval'
    | 'approvalRequest'
    | 'runEnvironmentEvidenceDigest'
    | 'redactionProfileId'
    | 'backupId'
    | 'restoreStateGeneration'
    | 'restoredStateVersionId'
    | 'restoredFromStateVersionId'
  >
>;
/** Members that grow with the plan; they are left out of lists. */
type RunDetail = Partial<Pick<Run, 'planResources' | 'applyExpected' | 'providerResolutions'>>;

/** Leaves out the checks of a schedule: they repeat, and would hide the plan or apply before them. */
export const isNoScheduledCheck = sql`(type <> 'drift_check' OR created_by <> 'system')`;

/** Condition of the index of the queue; a parameter would not select that index. */
export const isQueued = sql`status = 'queued'`;

/** Commit of a Run, which is one of its facts; null for a Run without one. */
export const resolvedCommit = sql<string | null>`facts ->> '$.resolvedCommit'`;

/** One row per operation: the ledger. `rowid` is the order of creation. */
export const runs = sqliteTable(
  'runs',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    type: text({ enum: runTypes }).notNull(),
    status: text({ enum: runStatuses }).notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    startedAt: integer('started_at'),
    finishedAt: integer('finished_at'),
    heartbeatAt: integer('heartbeat_at'),
    attempts: integer().notNull().default(0),
    /** Pool whose machines execute the Run. Its row belongs to a higher layer, so it has no foreign key. */
    runnerPool: text('runner_pool').notNull().default(localPool),
    capsuleId: text('capsule_id'),
    /** Name at the creation of the Run; Runs are searched by it. */
    capsuleName: text('capsule_name'),
    sourceId: text('source_id'),
    /** Refers to a higher layer, so it is a plain id without a foreign key. */
    runGroupId: text('run_group_id'),
    /** Order of the members; the Runs that one waits for are in `input.waitsFor`. */
    groupLayer: integer('group_layer'),
    /** Sequence number of the first Run of the group, in the later ones. */
    groupSeq: integer('group_seq'),
    planRunId: text('plan_run_id'),
    /** Sequence number of the plan of an apply. */
    planSeq: integer('plan_seq'),
    /** Set once, when the plan is consumed by an apply. */
    applyRunId: text('apply_run_id'),
    executionAuthorityEpoch: integer('execution_authority_epoch'),
    baseStateGeneration: integer('base_state_generation'),
    planDigest: text('plan_digest'),
    planExpiresAt: integer('plan_expires_at'),
    supersededAt: integer('superseded_at'),
    supersededReason: text('superseded_reason', { enum: ['authority_epoch', 'state_generation'] }),
    errorCode: text('error_code').$type<RunErrorCode>(),
    /** Position of the Run's change, that of its plan. It never changes, so pages stay exact while Runs end. */
    changeSeq: integer('change_seq').generatedAlwaysAs(sql`coalesce(plan_seq, seq)`),
    /** Position of a row that shows a whole group as one. */
    rowSeq: integer('row_seq').generatedAlwaysAs(sql`coalesce(group_seq, plan_seq, seq)`),
    /** Cause of the Run. */
    cause: text({ enum: runTriggers }),
    /** Objects that an apply created, changed and destroyed, as it reported them. */
    applied: exactJson().$type<PlanSummary>(),
    facts: exactJson().$type<RunFacts>().notNull(),
    detail: exactJson().$type<RunDetail>().notNull(),
    /** Input of the Run's handler; private. */
    input: exactJson().$type<unknown>().notNull(),
    /** Number of bytes already read from the journal of the Run's supervisor. */
    journalOffset: integer('journal_offset').notNull().default(0),
  },
  (table) => [
    // Includes the columns of a search, so that it reads only matching rows.
    index('runs_workspace').on(table.workspaceId, table.seq, table.capsuleName, table.capsuleId, table.id),
    // Includes the columns of the frequent filters, so that a filter reads only matching rows.
    index('runs_changes').on(
      table.workspaceId,
      table.rowSeq,
      table.status,
      table.type,
      table.cause,
      table.createdBy,
      table.capsuleName,
      table.capsuleId,
      table.id,
    ),
    index('runs_capsule_changes').on(table.capsuleId, table.changeSeq),
    index('runs_capsule').on(table.capsuleId, table.seq),
    // Most Runs of a Capsule can be scheduled checks, which are not its newest Run.
    index('runs_capsule_newest').on(table.capsuleId, table.seq).where(isNoScheduledCheck),
    index('runs_source').on(table.sourceId, table.seq),
    index('runs_status').on(table.status, table.seq),
    // Each pool claims its oldest Run, whatever waits in others.
    index('runs_queue').on(table.runnerPool, table.seq).where(isQueued),
    // Runs are found by a prefix of their commit.
    index('runs_commit').on(table.workspaceId, resolvedCommit, table.seq),
    // A second guard beside the queue: the tool never runs twice at once on one state.
    uniqueIndex('runs_running_capsule')
      .on(table.capsuleId)
      .where(sql`status = 'running' AND type IN (${sql.raw(capsuleRunTypes.map((type) => `'${type}'`).join(', '))})`),
    // Each claim looks for restores, and there are few.
    index('runs_restores').on(table.status, table.seq).where(sql`type = 'restore'`),
    index('runs_group').on(table.runGroupId, table.groupLayer).where(sql`run_group_id IS NOT NULL`),
    // Few plans can still be applied, regardless of the number of Runs.
    index('runs_open_plans').on(table.planExpiresAt).where(sql`apply_run_id IS NULL AND superseded_at IS NULL`),
  ],
);
export type RunRow = typeof runs.$inferSelect;

/** Feed of a Run: audit events, status moves, log lines, resources, diagnostics, in one sequence. */
export const runFeed = sqliteTable(
  'run_feed',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.id),
    seq: integer().notNull(),
    kind: text({ enum: feedKinds }).notNull(),
    at: integer().notNull(),
    payload: exactJson().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.seq] })],
);
