import { and, eq, gt, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { backupSchedules } from '#server/domains/backup-schedules/schema';
import { capsules } from '#server/domains/capsules/schema';
import { connections } from '#server/domains/connections/schema';
import { lateStates } from '#server/domains/late-states/schema';
import { awaiting, hasChanges, reviewable } from '#server/domains/runs/index';
import { isNoScheduledCheck, runs } from '#server/domains/runs/schema';
import { sources } from '#server/domains/sources/schema';
import { stateProjections } from '#server/domains/state-resources/schema';
import type { Db } from '#server/kernel/db';
import { type AttentionItem, type AttentionKind, expiresSoonMs } from '#shared/dashboard/attention';
import { parseExactly } from '#shared/kernel/exact-number';
import { backupScheduleLimits } from '#shared/limits';

const dayMs = 86_400_000;

type Scope = { workspaceId: string; now: number };
type Position = { rank: number; id: string };
/** `rank` is the order of its kind, the highest first. */
export type AttentionRow = Position & { at: number; item: Omit<AttentionItem, 'kind' | 'id' | 'at'> };
export type AttentionStore = ReturnType<typeof createAttentionStore>;

export function createAttentionStore({ orm }: Db) {
  return {
    count: (kind: AttentionKind, scope: Scope): number =>
      orm.get<{ n: number }>(sql`SELECT count(*) AS n FROM (${kinds[kind](scope)})`).n,
    list(kind: AttentionKind, scope: Scope, page: { after: Position | undefined; limit: number }): AttentionRow[] {
      const { after, limit } = page;
      const beyond = after ? sql`WHERE (rank, id) < (${after.rank}, ${after.id})` : sql``;
      return orm
        .all<Omit<AttentionRow, 'item'> & { item: string }>(
          sql`SELECT * FROM (${kinds[kind](scope)}) ${beyond} ORDER BY rank DESC, id DESC LIMIT ${limit}`,
        )
        .map(({ item, ...row }) => ({ ...row, item: presentIn(item) }));
    },
  };
}

/** Members of an item that are not null. */
const presentIn = (item: string): AttentionRow['item'] =>
  Object.fromEntries(Object.entries(parseExactly(item) as object).filter(([, value]) => value !== null));

const environment = sql`${runs.facts} ->> '$.environment'`;

const waitingRun = sql`
    SELECT ${runs.id} AS id, ifnull(${runs.finishedAt}, ${runs.createdAt}) AS at, ${runs.seq} AS rank,
      json_object('runId', ${runs.id}, 'runType', ${runs.type}, 'capsuleId', ${runs.capsuleId},
        'name', ${runs.capsuleName}, 'environment', ${environment}, 'summary', ${runs.facts} -> '$.summary',
        'rollbackStateVersionId', ${runs.facts} ->> '$.rollbackStateVersionId') AS item
    FROM ${runs}`;

const waitingPlans =
  (status: 'waiting_approval' | 'succeeded') =>
  ({ workspaceId, now }: Scope): SQL =>
    sql`${waitingRun} WHERE ${and(
      // The unary plus leaves the index of open plans as the only choice.
      eq(sql`+${runs.workspaceId}`, workspaceId),
      awaiting(runs, now),
      eq(sql`+${runs.status}`, status),
    )}`;

const waitingRestores = ({ workspaceId, now }: Scope): SQL =>
  sql`${waitingRun} WHERE ${and(
    eq(sql`+${runs.workspaceId}`, workspaceId),
    eq(runs.status, 'waiting_approval'),
    eq(runs.type, 'restore').inlineParams(),
    gt(runs.planExpiresAt, now),
  )}`;

/** Late states that no one has decided about. The other indexes also hold all that were decided. */
const waitingLateStates = ({ workspaceId }: Scope): SQL => sql`
  SELECT ${lateStates.id} AS id, ${lateStates.arrivedAt} AS at, ${lateStates.seq} AS rank,
    json_object('capsuleId', ${capsules.id}, 'name', ${capsules.name}, 'environment', ${capsules.environment},
      'runId', ${lateStates.runId}) AS item
  FROM ${lateStates} INDEXED BY late_states_undecided INNER JOIN ${capsules} ON ${capsules.id} = ${lateStates.capsuleId}
  WHERE ${and(eq(lateStates.workspaceId, workspaceId), isNull(lateStates.end), isNull(lateStates.restoreRunId))}`;

/** The newest Run failed, or the Capsule has an error that no running Run and no waiting plan corrects. */
function failedCapsules({ workspaceId, now }: Scope): SQL {
  const last = alias(runs, 'last');
  const isAwaited = sql`ifnull(${and(reviewable(last, now), hasChanges(last))}, 0)`;
  const isFailed = sql`${last.status} IS 'failed'`;
  const isBroken = sql`(${capsules.status} = 'error' AND ${isFailed} AND ${inArray(last.type, ['apply', 'destroy_apply'])})`;
  return sql`
    SELECT ${capsules.id} AS id, ifnull(${last.finishedAt}, ${capsules.updatedAt}) AS at,
      ifnull(${last.finishedAt}, ${capsules.updatedAt}) AS rank,
      json_object('capsuleId', ${capsules.id}, 'name', ${capsules.name}, 'environment', ${capsules.environment},
        'runId', ${last.id}, 'runType', ${last.type}, 'errorCode', ${last.errorCode},
        'isBroken', json(iif(${isBroken}, 'true', 'null'))) AS item
    FROM ${capsules} LEFT JOIN ${runs} AS ${sql.identifier('last')}
      ON ${last.seq} = (SELECT max(newest.seq) FROM ${runs} AS newest WHERE newest.capsule_id = ${capsules.id}
        AND ${isNoScheduledCheck})
    WHERE ${and(
      eq(capsules.workspaceId, workspaceId),
      sql`${capsules.status} NOT IN ('destroyed', 'disabled')`,
      or(isFailed, and(eq(capsules.status, 'error'), sql`${last.status} IS NOT 'running'`, sql`NOT ${isAwaited}`)),
    )}`;
}

const capsuleRow = sql`SELECT ${capsules.id} AS id, ${capsules.updatedAt} AS at, ${capsules.updatedAt} AS rank`;
const capsuleNames = sql`'capsuleId', ${capsules.id}, 'name', ${capsules.name}, 'environment', ${capsules.environment}`;

const failedChecks = ({ workspaceId }: Scope): SQL => sql`
  ${capsuleRow}, json_object(${capsuleNames}, 'count', ${stateProjections.failedChecks}) AS item
  FROM ${capsules} INNER JOIN ${stateProjections} ON ${stateProjections.stateVersionId} = ${capsules.currentStateVersionId}
  WHERE ${and(
    eq(capsules.workspaceId, workspaceId),
    ne(capsules.status, 'destroyed'),
    sql`${stateProjections.failedChecks} > 0`,
  )}`;

const staleCapsules = ({ workspaceId }: Scope): SQL => sql`
  ${capsuleRow}, json_object(${capsuleNames}) AS item
  FROM ${capsules} WHERE ${and(eq(capsules.workspaceId, workspaceId), eq(capsules.status, 'stale'))}`;

const failedSources = ({ workspaceId }: Scope): SQL => sql`
  SELECT ${sources.id} AS id, ${sources.updatedAt} AS at, ${sources.updatedAt} AS rank,
    json_object('name', ${sources.name}) AS item
  FROM ${sources} WHERE ${and(eq(sources.workspaceId, workspaceId), eq(sources.status, 'error'))}`;

/** Those of the operator are left out: no one in the Workspace can renew them. */
const expiringConnections = ({ workspaceId, now }: Scope): SQL => sql`
  SELECT ${connections.id} AS id, ${connections.expiresAt} AS at, -${connections.expiresAt} AS rank,
    json_object('name', ifnull(${connections.displayName}, ${connections.provider})) AS item
  FROM ${connections} WHERE ${and(
    eq(connections.workspaceId, workspaceId),
    isNotNull(connections.expiresAt),
    sql`${connections.expiresAt} <= ${now + expiresSoonMs}`,
    inArray(connections.status, ['pending', 'verified', 'expired']),
  )}`;

/** A schedule whose backup was due a day after the newest copy is overdue too while nothing is done on a schedule. */
function failedSchedules({ workspaceId, now }: Scope): SQL {
  const { failedAt, overdueAt, dueAt } = backupSchedules;
  const isOverdue = sql`(${overdueAt} IS NOT NULL OR ${dueAt} <= ${now + dayMs - backupScheduleLimits.overdueMs})`;
  const at = sql`coalesce(${overdueAt}, ${failedAt}, ${dueAt})`;
  return sql`
    SELECT ${backupSchedules.workspaceId} AS id, ${at} AS at, ${at} AS rank,
      json_object('isOverdue', json(iif(${isOverdue}, 'true', 'null'))) AS item
    FROM ${backupSchedules}
    WHERE ${backupSchedules.workspaceId} = ${workspaceId} AND (${failedAt} IS NOT NULL OR ${isOverdue})`;
}

/** Rows of each kind: id, at, rank and item. A new kind is one line here and one in `attentionKinds`. */
const kinds: Readonly<Record<AttentionKind, (scope: Scope) => SQL>> = {
  approve: (scope) => sql`${waitingPlans('waiting_approval')(scope)} UNION ALL ${waitingRestores(scope)}`,
  apply: waitingPlans('succeeded'),
  late_state: waitingLateStates,
  failed: failedCapsules,
  check: failedChecks,
  source: failedSources,
  connection: expiringConnections,
  backup: failedSchedules,
  stale: staleCapsules,
};
