import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { workspaces } from '#server/domains/workspaces/schema';
import { isAfter, isBefore, mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { TimedCursor } from '#server/kernel/page';
import { workspaceFinder } from '#server/kernel/workspace-finder';
import { watchLimits } from '#shared/limits';
import {
  compatibilityReports,
  snapshotManifests,
  snapshotScans,
  sourceLanes,
  sourceSnapshots,
  sources,
} from './schema.ts';

export type SourceRow = typeof sources.$inferSelect;
export type SnapshotRow = typeof sourceSnapshots.$inferSelect;
export type ManifestRow = typeof snapshotManifests.$inferSelect;
export type ReportRow = typeof compatibilityReports.$inferSelect;
type SourceFilter = TimedCursor & { workspaceId: string; url?: string | undefined; q?: string | undefined };
export type SourcesStore = ReturnType<typeof createSourcesStore>;

/** Condition in the same form as the index. */
const watched = and(sql`auto_sync = 1`, sql`${sources.status} <> 'disabled'`, isNull(workspaces.archivedAt));

export function createSourcesStore(db: Db) {
  return {
    ...sourceRows(db),
    ...watchedSources(db),
    ...snapshotRows(db),
    ...laneRows(db),
    ...manifestRows(db),
    ...scanRows(db),
  };
}

function sourceRows(db: Db) {
  return {
    findSource: (id: string): SourceRow | undefined => db.orm.select().from(sources).where(eq(sources.id, id)).get(),
    findWorkspace: workspaceFinder(db, sources),
    insertSource: (row: SourceRow): void => void db.orm.insert(sources).values(row).run(),
    updateSource: (id: string, set: Partial<SourceRow>): void =>
      void db.orm.update(sources).set(set).where(eq(sources.id, id)).run(),
    deleteSource: (id: string): void => void db.orm.delete(sources).where(eq(sources.id, id)).run(),
    listSources({ workspaceId, url, q, by, at, id, limit }: SourceFilter): SourceRow[] {
      const time = by === 'updatedAt' ? sources.updatedAt : sources.createdAt;
      // Few Sources share an address: the unary plus makes SQLite look them up by it, and sort.
      const column = url === undefined ? time : sql`+${time}`;
      const [beyond, order] = by === 'updatedAt' ? [isBefore, desc] : [isAfter, asc];
      return db.orm
        .select()
        .from(sources)
        .where(
          and(
            eq(sources.workspaceId, workspaceId),
            beyond([column, sources.id], [at, id]),
            url === undefined ? undefined : eq(sources.url, url),
            q === undefined ? undefined : mentions(q, { names: [sources.name, sources.url], ids: [sources.id] }),
          ),
        )
        .orderBy(order(column), order(sources.id))
        .limit(limit)
        .all();
    },
    listByUrl: (workspaceId: string, url: string): SourceRow[] =>
      db.orm
        .select()
        .from(sources)
        .where(and(eq(sources.workspaceId, workspaceId), eq(sources.url, url)))
        .orderBy(asc(sources.createdAt), asc(sources.id))
        .all(),
    /** Returns the URL of the repository that a Connection was used for last. */
    findUrlOfConnection: (connectionId: string): string | undefined =>
      db.orm
        .select({ url: sources.url })
        .from(sources)
        .where(eq(sources.authConnectionId, connectionId))
        .orderBy(desc(sources.updatedAt))
        .limit(1)
        .get()?.url,
  };
}

/** Sources that are polled, by the time of their last request. */
function watchedSources(db: Db) {
  return {
    /**
     * Lists watched Sources that are due, longest overdue first. A time in the future comes from a clock that was set
     * back.
     */
    listDuePolls: (now: number, limit: number): { id: string }[] =>
      db.orm
        .select({ id: sources.id })
        .from(sources)
        .innerJoin(workspaces, eq(workspaces.id, sources.workspaceId))
        .where(
          and(
            watched,
            or(isNull(sources.polledAt), lte(sources.polledAt, now - watchLimits.pollMs), gt(sources.polledAt, now)),
          ),
        )
        .orderBy(asc(sources.polledAt))
        .limit(limit)
        .all(),
    /** Returns the last request time of the watched Source that is due next; null when it is due at once. */
    findNextPoll(now: number): { polledAt: number | null } | undefined {
      const [latest, next] = [desc, asc].map((order) =>
        db.orm
          .select({ polledAt: sources.polledAt })
          .from(sources)
          .innerJoin(workspaces, eq(workspaces.id, sources.workspaceId))
          .where(watched)
          .orderBy(order(sources.polledAt))
          .limit(1)
          .get(),
      );
      return latest?.polledAt && latest.polledAt > now ? { polledAt: null } : next;
    },
  };
}

function snapshotRows(db: Db) {
  return {
    findSnapshot: (id: string): SnapshotRow | undefined =>
      db.orm.select().from(sourceSnapshots).where(eq(sourceSnapshots.id, id)).get(),
    findSnapshotOf: (sourceId: string, at: { commit: string; ref: string; path: string }): SnapshotRow | undefined =>
      db.orm
        .select()
        .from(sourceSnapshots)
        .where(
          and(
            eq(sourceSnapshots.sourceId, sourceId),
            eq(sourceSnapshots.resolvedCommit, at.commit),
            eq(sourceSnapshots.ref, at.ref),
            eq(sourceSnapshots.path, at.path),
          ),
        )
        .get(),
    insertSnapshot: (row: Omit<SnapshotRow, 'seq'>): void => void db.orm.insert(sourceSnapshots).values(row).run(),
    updateCommit: (id: string, commit: SnapshotRow['commit']): void =>
      void db.orm.update(sourceSnapshots).set({ commit }).where(eq(sourceSnapshots.id, id)).run(),
    listCommitSubjects: (
      workspaceId: string,
      ids: readonly string[],
    ): { sourceSnapshotId: string; subject: string }[] =>
      db.orm
        .select({
          sourceSnapshotId: sourceSnapshots.id,
          subject: sql<string>`json_extract(${sourceSnapshots.commit}, '$.subject')`,
        })
        .from(sourceSnapshots)
        .where(
          and(
            inArray(sourceSnapshots.id, [...ids]),
            eq(sourceSnapshots.workspaceId, workspaceId),
            isNotNull(sourceSnapshots.commit),
          ),
        )
        .all(),
    listSnapshots: (sourceId: string, limit: number, before: number): SnapshotRow[] =>
      db.orm
        .select()
        .from(sourceSnapshots)
        .where(and(eq(sourceSnapshots.sourceId, sourceId), lt(sourceSnapshots.seq, before)))
        .orderBy(desc(sourceSnapshots.seq))
        .limit(limit)
        .all(),
    /** Deletes the snapshots of a Source with everything that was made of them. */
    deleteHistory(sourceId: string): void {
      const { orm } = db;
      const ids = orm
        .select({ id: sourceSnapshots.id })
        .from(sourceSnapshots)
        .where(eq(sourceSnapshots.sourceId, sourceId));
      orm.delete(compatibilityReports).where(inArray(compatibilityReports.snapshotId, ids)).run();
      orm.delete(snapshotScans).where(inArray(snapshotScans.snapshotId, ids)).run();
      orm.delete(snapshotManifests).where(inArray(snapshotManifests.snapshotId, ids)).run();
      orm.delete(sourceLanes).where(eq(sourceLanes.sourceId, sourceId)).run();
      orm.delete(sourceSnapshots).where(eq(sourceSnapshots.sourceId, sourceId)).run();
    },
    countSnapshots: (sourceId: string): number =>
      db.orm.select({ n: count() }).from(sourceSnapshots).where(eq(sourceSnapshots.sourceId, sourceId)).get()?.n ?? 0,
  };
}

function laneRows(db: Db) {
  return {
    /** Returns the snapshot of the newest sync of a lane. */
    findLaneHead: (sourceId: string, lane: { ref: string; path: string }): SnapshotRow | undefined =>
      db.orm
        .select({ snapshot: sourceSnapshots })
        .from(sourceLanes)
        .innerJoin(sourceSnapshots, eq(sourceSnapshots.id, sourceLanes.snapshotId))
        .where(and(eq(sourceLanes.sourceId, sourceId), eq(sourceLanes.ref, lane.ref), eq(sourceLanes.path, lane.path)))
        .get()?.snapshot,
    moveLane(row: typeof sourceLanes.$inferInsert): void {
      const { snapshotId, syncedAt } = row;
      const target = [sourceLanes.sourceId, sourceLanes.ref, sourceLanes.path];
      db.orm.insert(sourceLanes).values(row).onConflictDoUpdate({ target, set: { snapshotId, syncedAt } }).run();
    },
  };
}

function manifestRows(db: Db) {
  return {
    insertManifest: (row: ManifestRow): void => void db.orm.insert(snapshotManifests).values(row).run(),
    /** Returns the modules that the manifest of a snapshot names; none when it has no valid manifest. */
    findManifestPaths: (snapshotId: string): string[] =>
      db.orm
        .select({ paths: snapshotManifests.modulePaths })
        .from(snapshotManifests)
        .where(eq(snapshotManifests.snapshotId, snapshotId))
        .get()?.paths ?? [],
    /** Returns the exact text of a valid manifest. */
    findManifestDocument: (snapshotId: string): string | null =>
      db.orm
        .select({ document: snapshotManifests.document })
        .from(snapshotManifests)
        .where(eq(snapshotManifests.snapshotId, snapshotId))
        .get()?.document ?? null,
    listManifestProblems: (snapshotIds: readonly string[]): Pick<ManifestRow, 'snapshotId' | 'problems'>[] =>
      db.orm
        .select({ snapshotId: snapshotManifests.snapshotId, problems: snapshotManifests.problems })
        .from(snapshotManifests)
        .where(inArray(snapshotManifests.snapshotId, [...snapshotIds]))
        .all(),
  };
}

/** Results of scans and the compatibility reports that were made from them. */
function scanRows(db: Db) {
  return {
    findScan: (snapshotId: string, tool: string): unknown =>
      db.orm
        .select({ result: snapshotScans.result })
        .from(snapshotScans)
        .where(and(eq(snapshotScans.snapshotId, snapshotId), eq(snapshotScans.tool, tool)))
        .get()?.result,
    saveScan: (row: { snapshotId: string; tool: string; result: unknown; createdAt: number }): void =>
      void db.orm.insert(snapshotScans).values(row).onConflictDoNothing().run(),
    findReport: (id: string): ReportRow | undefined =>
      db.orm.select().from(compatibilityReports).where(eq(compatibilityReports.id, id)).get(),
    findReportWorkspace: workspaceFinder(db, compatibilityReports),
    findNewestReport: (snapshotId: string, modulePath: string): ReportRow | undefined =>
      db.orm
        .select()
        .from(compatibilityReports)
        .where(and(eq(compatibilityReports.snapshotId, snapshotId), eq(compatibilityReports.modulePath, modulePath)))
        .orderBy(desc(compatibilityReports.seq))
        .limit(1)
        .get(),
    insertReport: (row: Omit<ReportRow, 'seq'>): void => void db.orm.insert(compatibilityReports).values(row).run(),
  };
}
