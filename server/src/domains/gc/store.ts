import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, notInArray, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { copies, copyRevisions } from '#server/domains/copies/schema';
import { installConfigs } from '#server/domains/install-configs/schema';
import { installPlans } from '#server/domains/install-plans/schema';
import { planArtifacts } from '#server/domains/plans/schema';
import { runs } from '#server/domains/runs/schema';
import { compatibilityReports, sourceLanes, sourceSnapshots, sources } from '#server/domains/sources/schema';
import { stateVersions } from '#server/domains/state-versions/schema';
import type { Db } from '#server/kernel/db';
import { capsuleRunTypes } from '#shared/runs/contract';
import type { RunFacts } from './retention.ts';
import { scheduledChecks } from './run-store.ts';

export type GcStore = ReturnType<typeof createGcStore>;
type Proposal = { id: string; sourceId: unknown };
type SnapshotArchive = { id: string; archiveDigest: string; fetchedAt: number };

type Ledger = Pick<Db, 'orm'>;

/** Number of StateVersions of a Capsule that keep their source files, for a rollback. */
const statesWithFiles = 10;

/** The ids of rows; a JSON path that does not exist gives null. */
const idsOf = (rows: readonly { id: unknown }[]): string[] =>
  rows.map(({ id }) => id).filter((id): id is string => typeof id === 'string');
const named = (column: unknown, path: string): SQL<unknown> => sql`json_extract(${column}, ${`$.${path}`})`;
const acceptedId = named(installConfigs.provenance, 'manifest.acceptedId');
const live = ne(capsules.status, 'destroyed');

/** Plans that an apply may still request, by columns of an index. */
const openPlans = (now: number) => and(isNull(runs.applyRunId), isNull(runs.supersededAt), gt(runs.planExpiresAt, now));

/** Read-only queries for the files that the ledger needs. */
export function createGcStore(db: Ledger) {
  return {
    ...runFacts(db),
    ...copyFacts(db),
    ...snapshotNeeds(db),
    ...unusedProposals(db),
    ...lockFiles(db),
    ...scheduledChecks(db),
  };
}

/** The records that files belong to, and whether something uses them now. */
function runFacts(db: Ledger) {
  const applied = alias(runs, 'applied');
  const judged = db.orm
    .select({
      id: runs.id,
      type: runs.type,
      status: runs.status,
      applyRunId: runs.applyRunId,
      supersededAt: runs.supersededAt,
      planExpiresAt: runs.planExpiresAt,
      finishedAt: runs.finishedAt,
      applyStatus: applied.status,
      capsuleStatus: capsules.status,
    })
    .from(runs)
    .leftJoin(applied, eq(applied.id, runs.applyRunId))
    .leftJoin(capsules, eq(capsules.id, runs.capsuleId))
    .where(eq(runs.id, sql.placeholder('id')))
    .prepare();
  const capsule = db.orm
    .select({ id: capsules.id, status: capsules.status, updatedAt: capsules.updatedAt })
    .from(capsules)
    .where(eq(capsules.id, sql.placeholder('id')))
    .prepare();
  const underWay = inArray(runs.status, ['queued', 'running']);
  return {
    findRun(id: string): RunFacts | undefined {
      const row = judged.get({ id });
      if (!row) return undefined;
      const { applyStatus, capsuleStatus, id: _, ...facts } = row;
      return { ...facts, applyStatus: applyStatus ?? undefined, isCapsuleGone: capsuleStatus === 'destroyed' };
    },
    findCapsule: (id: string) => capsule.get({ id }),
    hasSource: (id: string): boolean =>
      db.orm.select({ id: sources.id }).from(sources).where(eq(sources.id, id)).get() !== undefined,
    /** True when a Run that uses the tool is queued or running: of one Capsule, or of any. */
    isToolBusy: (capsuleId?: string): boolean =>
      db.orm
        .select({ id: runs.id })
        .from(runs)
        .where(
          and(
            underWay,
            inArray(runs.type, [...capsuleRunTypes]),
            capsuleId === undefined ? undefined : eq(runs.capsuleId, capsuleId),
          ),
        )
        .limit(1)
        .get() !== undefined,
    isAnyRunning: (): boolean =>
      db.orm.select({ id: runs.id }).from(runs).where(eq(runs.status, 'running')).limit(1).get() !== undefined,
  };
}

function copyFacts({ orm }: Ledger) {
  const isOpen = inArray(copyRevisions.status, ['preparing', 'waiting_approval', 'making']);
  return {
    hasCopy: (id: string): boolean =>
      orm.select({ id: copies.id }).from(copies).where(eq(copies.id, id)).get() !== undefined,
    /** Lists the copies whose repository must exist. */
    listMadeCopies: (): { id: string; commit: string | null }[] =>
      orm
        .select({ id: copies.id, commit: copyRevisions.commit })
        .from(copies)
        .innerJoin(copyRevisions, eq(copyRevisions.id, copies.currentRevisionId))
        .all(),
    hasOpenRevision: (id: string): boolean =>
      orm
        .select({ id: copyRevisions.id })
        .from(copyRevisions)
        .where(and(eq(copyRevisions.id, id), isOpen))
        .get() !== undefined,
    /** True while a revision is prepared or made. */
    isCopyPrepared: (): boolean =>
      orm
        .select({ id: copyRevisions.id })
        .from(copyRevisions)
        .where(inArray(copyRevisions.status, ['preparing', 'making']))
        .limit(1)
        .get() !== undefined,
  };
}

function snapshotNeeds(db: Ledger) {
  const newestStates = db.orm
    .select({ id: stateVersions.sourceSnapshotId })
    .from(stateVersions)
    .where(eq(stateVersions.capsuleId, sql.placeholder('capsuleId')))
    .orderBy(desc(stateVersions.seq))
    .limit(statesWithFiles)
    .prepare();
  return {
    listSnapshots: (): SnapshotArchive[] =>
      db.orm
        .select({
          id: sourceSnapshots.id,
          archiveDigest: sourceSnapshots.archiveDigest,
          fetchedAt: sourceSnapshots.fetchedAt,
        })
        .from(sourceSnapshots)
        .orderBy(asc(sourceSnapshots.seq))
        .all(),
    /** Ids of the snapshots whose files may still be needed, however old they are. */
    listNeededSnapshots(now: number): Set<string> {
      const { orm } = db;
      const needed = [
        // The newest of each lane: the next plan uses it.
        orm.select({ id: sourceLanes.snapshotId }).from(sourceLanes).all(),
        // The snapshots that a Capsule follows, was configured from and was last checked on.
        orm
          .select({ id: named(capsules.adoptedSourceRevision, 'sourceSnapshotId') })
          .from(capsules)
          .where(live)
          .all(),
        orm
          .select({ id: named(installConfigs.provenance, 'sourceSnapshotId') })
          .from(capsules)
          .innerJoin(installConfigs, eq(installConfigs.id, capsules.installConfigId))
          .where(live)
          .all(),
        orm
          .select({ id: compatibilityReports.snapshotId })
          .from(capsules)
          .innerJoin(compatibilityReports, eq(compatibilityReports.id, capsules.compatibilityReportId))
          .where(live)
          .all(),
        listLive(db).flatMap((capsuleId) => newestStates.all({ capsuleId })),
        // Snapshots of Runs and plans that are in progress or wait for a person.
        orm
          .select({ id: named(runs.facts, 'sourceSnapshotId') })
          .from(runs)
          .where(inArray(runs.status, ['queued', 'running', 'waiting_approval']))
          .all(),
        orm
          .select({ id: named(runs.facts, 'sourceSnapshotId') })
          .from(runs)
          .where(openPlans(now))
          .all(),
        orm
          .select({ id: named(installPlans.facts, 'sourceSnapshotId') })
          .from(installPlans)
          .where(isNull(installPlans.completedAt))
          .all(),
      ];
      return new Set(needed.flatMap(idsOf));
    },
  };
}

/** Configurations of a check that were never installed. */
function unusedProposals(db: Ledger) {
  const isProposal = and(
    isNotNull(named(installConfigs.provenance, 'manifest')),
    isNull(named(installConfigs.provenance, 'manifest.acceptedId')),
    isNull(named(installConfigs.provenance, 'receipt')),
  );
  const accepted = db.orm.select({ id: acceptedId }).from(installConfigs).where(isNotNull(acceptedId));
  return {
    /** Configurations that a check compiled before a time and that were never installed, with their Source. */
    listProposals: (before: number): Proposal[] =>
      db.orm
        .select({ id: installConfigs.id, sourceId: named(installConfigs.provenance, 'sourceId') })
        .from(installConfigs)
        .where(
          and(
            eq(installConfigs.derived, true),
            lt(installConfigs.createdAt, before),
            isProposal,
            notInArray(installConfigs.id, accepted),
          ),
        )
        .all(),
    /** Those of the given proposals that any row in the ledger references. */
    listNamedProposals(proposals: readonly Proposal[]): Set<string> {
      const ids = proposals.map(({ id }) => id);
      const { orm } = db;
      const namedBy = (table: SQLiteTable, name: SQL<unknown>) =>
        orm.select({ id: name }).from(table).where(inArray(name, ids)).all();
      const ofRun = named(runs.input, 'installConfigId');
      const references = [
        namedBy(capsules, sql`${capsules.installConfigId}`),
        namedBy(installPlans, named(installPlans.facts, 'installConfigId')),
        namedBy(installPlans, named(installPlans.request, 'preflight.installConfigId')),
        // Base and accepted proposal of an installation, and the predecessor of a successor.
        namedBy(installConfigs, acceptedId),
        namedBy(installConfigs, named(installConfigs.provenance, 'manifest.baseId')),
        namedBy(installConfigs, named(installConfigs.provenance, 'receipt.previousInstallConfigId')),
        // A Run uses the configuration of its Capsule, whose Source never changes: no other Run is read.
        orm
          .select({ id: ofRun })
          .from(capsules)
          .innerJoin(runs, eq(runs.capsuleId, capsules.id))
          .where(
            and(
              inArray(
                capsules.sourceId,
                proposals.map(({ sourceId }) => String(sourceId)),
              ),
              inArray(ofRun, ids),
            ),
          )
          .all(),
      ];
      return new Set(references.flatMap(idsOf));
    },
  };
}

function lockFiles(db: Ledger) {
  const newestLock = db.orm
    .select({ lock: planArtifacts.lock })
    .from(planArtifacts)
    .where(eq(planArtifacts.capsuleId, sql.placeholder('capsuleId')))
    .orderBy(desc(planArtifacts.createdAt))
    .limit(1)
    .prepare();
  return {
    /**
     * Lock files that the next Run of a Capsule may use: the newest of each Capsule that is not destroyed, and those of plans that may
     * still be applied.
     */
    listLiveLocks(now: number): string[] {
      const open = db.orm
        .select({ lock: planArtifacts.lock })
        .from(runs)
        .innerJoin(planArtifacts, eq(planArtifacts.runId, runs.id))
        .where(openPlans(now))
        .all();
      const current = listLive(db).flatMap((capsuleId) => newestLock.get({ capsuleId }) ?? []);
      return [...new Set([...current, ...open].map(({ lock }) => lock))];
    },
  };
}

/** Ids of the Capsules that are not destroyed. */
const listLive = (db: Ledger): string[] => idsOf(db.orm.select({ id: capsules.id }).from(capsules).where(live).all());
