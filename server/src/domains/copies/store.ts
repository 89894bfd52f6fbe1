import { and, asc, desc, eq, getTableColumns, inArray, isNull, lt, notInArray } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { CopyRevisionStatus } from '#shared/copies/machine';
import { copies, copyRevisions } from './schema.ts';

export type CopyRow = typeof copies.$inferSelect;
export type NewCopy = Omit<CopyRow, 'seq'>;
export type RevisionRow = typeof copyRevisions.$inferSelect;
export type NewRevision = Omit<RevisionRow, 'seq'>;
/** A revision without its review, which may be large. */
export type RevisionHead = Omit<RevisionRow, 'review'>;
export type CopiesStore = ReturnType<typeof createCopiesStore>;

const { review: _, ...headColumns } = getTableColumns(copyRevisions);
const openStatuses = ['preparing', 'waiting_approval', 'making'] as const;
/** Statuses in which the server works on a revision. */
const workStatuses = ['preparing', 'making'] as const;

type Upstream = Pick<CopyRow, 'workspaceId' | 'upstreamUrl' | 'upstreamRef' | 'upstreamPath' | 'modulePath'>;

export const createCopiesStore = (db: Pick<Db, 'orm'>) => ({
  ...copyRows(db),
  ...revisionRows(db),
  ...waitingRevisions(db),
});

const copyRows = ({ orm }: Pick<Db, 'orm'>) => ({
  insertCopy: (row: NewCopy): void => void orm.insert(copies).values(row).run(),
  findCopy: (id: string): CopyRow | undefined => orm.select().from(copies).where(eq(copies.id, id)).get(),
  findCopyOfSource: (sourceId: string): CopyRow | undefined =>
    orm.select().from(copies).where(eq(copies.sourceId, sourceId)).get(),
  findWorkspace: (id: string): string | undefined =>
    orm.select({ workspaceId: copies.workspaceId }).from(copies).where(eq(copies.id, id)).get()?.workspaceId,
  /** Returns the oldest copy of the same modules. */
  findSame: ({ workspaceId, upstreamUrl, upstreamRef, upstreamPath, modulePath }: Upstream): CopyRow | undefined =>
    orm
      .select()
      .from(copies)
      .where(
        and(
          eq(copies.workspaceId, workspaceId),
          eq(copies.upstreamUrl, upstreamUrl),
          eq(copies.upstreamRef, upstreamRef),
          eq(copies.upstreamPath, upstreamPath),
          modulePath === null ? isNull(copies.modulePath) : eq(copies.modulePath, modulePath),
        ),
      )
      .orderBy(asc(copies.seq))
      .limit(1)
      .get(),
  listCopies: (workspaceId: string, before: number, limit: number): CopyRow[] =>
    orm
      .select()
      .from(copies)
      .where(and(eq(copies.workspaceId, workspaceId), lt(copies.seq, before)))
      .orderBy(desc(copies.seq))
      .limit(limit)
      .all(),
  updateCopy: (id: string, set: Partial<CopyRow>): void =>
    void orm.update(copies).set(set).where(eq(copies.id, id)).run(),
  deleteCopy(id: string): void {
    orm.delete(copyRevisions).where(eq(copyRevisions.copyId, id)).run();
    orm.delete(copies).where(eq(copies.id, id)).run();
  },
});

const revisionRows = ({ orm }: Pick<Db, 'orm'>) => ({
  insertRevision: (row: NewRevision): void => void orm.insert(copyRevisions).values(row).run(),
  findRevision: (id: string): RevisionRow | undefined =>
    orm.select().from(copyRevisions).where(eq(copyRevisions.id, id)).get(),
  findHead: (id: string): RevisionHead | undefined =>
    orm.select(headColumns).from(copyRevisions).where(eq(copyRevisions.id, id)).get(),
  isOpen: (id: string): boolean =>
    orm
      .select({ id: copyRevisions.id })
      .from(copyRevisions)
      .where(and(eq(copyRevisions.id, id), inArray(copyRevisions.status, openStatuses)))
      .get() !== undefined,
  listRevisions: (copyId: string, before: number, limit: number): RevisionHead[] =>
    orm
      .select(headColumns)
      .from(copyRevisions)
      .where(and(eq(copyRevisions.copyId, copyId), lt(copyRevisions.seq, before)))
      .orderBy(desc(copyRevisions.seq))
      .limit(limit)
      .all(),
  findNewestRevision: (copyId: string): RevisionRow | undefined =>
    orm
      .select()
      .from(copyRevisions)
      .where(eq(copyRevisions.copyId, copyId))
      .orderBy(desc(copyRevisions.seq))
      .limit(1)
      .get(),
  /** Returns the newest revision that succeeded with a commit. */
  findRevisionOfCommit: (copyId: string, commit: string): RevisionRow | undefined =>
    orm
      .select()
      .from(copyRevisions)
      .where(
        and(eq(copyRevisions.copyId, copyId), eq(copyRevisions.commit, commit), eq(copyRevisions.status, 'succeeded')),
      )
      .orderBy(desc(copyRevisions.seq))
      .limit(1)
      .get(),
  /** Returns the open revisions of copies, by the copy. */
  listOpen: (copyIds: readonly string[]): Map<string, string> =>
    new Map(
      orm
        .select({ copyId: copyRevisions.copyId, id: copyRevisions.id })
        .from(copyRevisions)
        .where(and(inArray(copyRevisions.copyId, [...copyIds]), inArray(copyRevisions.status, openStatuses)))
        .all()
        .map(({ copyId, id }) => [copyId, id]),
    ),
  /** Changes a revision that still has the status. Returns whether it had. */
  moveRevision: (id: string, from: CopyRevisionStatus, set: Partial<RevisionRow>): boolean =>
    orm
      .update(copyRevisions)
      .set(set)
      .where(and(eq(copyRevisions.id, id), eq(copyRevisions.status, from)))
      .run().changes === 1,
});

/** Revisions that wait for the server or for a person. */
const waitingRevisions = ({ orm }: Pick<Db, 'orm'>) => ({
  /** Lists the open revisions of a Workspace that are not approved. */
  listUnapproved: (workspaceId: string): RevisionHead[] =>
    orm
      .select(headColumns)
      .from(copyRevisions)
      .innerJoin(copies, eq(copies.id, copyRevisions.copyId))
      .where(and(eq(copies.workspaceId, workspaceId), inArray(copyRevisions.status, ['preparing', 'waiting_approval'])))
      .all(),
  /** Lists the revisions that the server has to work on, oldest first, without those that it works on already. */
  listWork: (active: readonly string[], limit: number): RevisionHead[] =>
    orm
      .select(headColumns)
      .from(copyRevisions)
      .where(and(inArray(copyRevisions.status, workStatuses), notInArray(copyRevisions.id, [...active])))
      .orderBy(asc(copyRevisions.seq))
      .limit(limit)
      .all(),
});
