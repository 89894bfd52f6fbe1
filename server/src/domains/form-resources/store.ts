import { and, asc, desc, eq, gt, isNull, lt, ne, type SQL, sql } from 'drizzle-orm';
import { mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { FormResourceStatusName } from '#shared/form-resources/contract';
import { formOperations, formResources } from './schema.ts';

export type ResourceRow = typeof formResources.$inferSelect;
export type NewResource = Omit<ResourceRow, 'seq'>;
export type OperationRow = typeof formOperations.$inferSelect;
export type OperationKey = Pick<OperationRow, 'workspaceId' | 'principal' | 'key'>;
/** Names a Resource within a Workspace, present or not. */
export type Target = Pick<ResourceRow, 'workspaceId' | 'kind' | 'name'>;
/** Filters of the list: a text in kind, name or id, and the state of the native object as last compared. */
export type RecordFilter = { q?: string | undefined; status?: FormResourceStatusName | undefined };
export type FormResourcesStore = ReturnType<typeof createFormResourcesStore>;

export const createFormResourcesStore = (db: Pick<Db, 'orm'>) => ({ ...resourceRows(db), ...operationRows(db) });

const { ready, driftedFields } = formResources;

const conditionOf: Readonly<Record<FormResourceStatusName, SQL | undefined>> = {
  ready: and(eq(ready, true), eq(driftedFields, [])),
  drifted: and(eq(ready, true), ne(driftedFields, [])),
  missing: eq(ready, false),
};

const conditionsOf = ({ q, status }: RecordFilter): (SQL | undefined)[] => [
  q === undefined
    ? undefined
    : mentions(q, { names: [formResources.kind, formResources.name], ids: [formResources.id] }),
  status === undefined ? undefined : conditionOf[status],
];

const resourceRows = ({ orm }: Pick<Db, 'orm'>) => ({
  insertResource: (row: NewResource): void => void orm.insert(formResources).values(row).run(),
  find: (id: string): ResourceRow | undefined => orm.select().from(formResources).where(eq(formResources.id, id)).get(),
  findAt: ({ workspaceId, kind, name }: Target): ResourceRow | undefined =>
    orm
      .select()
      .from(formResources)
      .where(
        and(eq(formResources.workspaceId, workspaceId), eq(formResources.kind, kind), eq(formResources.name, name)),
      )
      .get(),
  findByNativeId: (nativeId: string): ResourceRow | undefined =>
    orm.select().from(formResources).where(eq(formResources.nativeId, nativeId)).get(),
  /** Reports whether a Resource has a native object of this name. Case does not matter: on some systems it is one file. */
  isNameTaken: (nativeId: string): boolean =>
    orm
      .select({ seq: formResources.seq })
      .from(formResources)
      .where(sql`lower(${formResources.nativeId}) = lower(${nativeId})`)
      .get() !== undefined,
  /** Lists the exact forms that Resources have. */
  listForms: (): FormIdentity[] =>
    orm
      .selectDistinct({ form: formResources.form })
      .from(formResources)
      .all()
      .map(({ form }) => form),
  listNativeIds: (): string[] =>
    orm
      .select({ id: formResources.nativeId })
      .from(formResources)
      .orderBy(asc(formResources.nativeId))
      .all()
      .map(({ id }) => id),
  listAfter: (workspaceId: string, after: number, limit: number): ResourceRow[] =>
    orm
      .select()
      .from(formResources)
      .where(and(eq(formResources.workspaceId, workspaceId), gt(formResources.seq, after)))
      .orderBy(asc(formResources.seq))
      .limit(limit)
      .all(),
  listBefore: (
    workspaceId: string,
    filter: RecordFilter,
    { before, limit }: { before: number; limit: number },
  ): ResourceRow[] =>
    orm
      .select()
      .from(formResources)
      .where(and(eq(formResources.workspaceId, workspaceId), lt(formResources.seq, before), ...conditionsOf(filter)))
      .orderBy(desc(formResources.seq))
      .limit(limit)
      .all(),
  /** Changes a Resource that still has the generation. Returns whether it had. */
  updateAt: (id: string, generation: number, set: Partial<ResourceRow>): boolean =>
    orm
      .update(formResources)
      .set(set)
      .where(and(eq(formResources.id, id), eq(formResources.generation, generation)))
      .run().changes === 1,
  deleteAt: (id: string, generation: number): boolean =>
    orm
      .delete(formResources)
      .where(and(eq(formResources.id, id), eq(formResources.generation, generation)))
      .run().changes === 1,
});

const ofKey = ({ workspaceId, principal, key }: OperationKey) =>
  and(
    eq(formOperations.workspaceId, workspaceId),
    eq(formOperations.principal, principal),
    eq(formOperations.key, key),
  );

const operationRows = ({ orm }: Pick<Db, 'orm'>) => ({
  insertOperation: (row: OperationRow): void => void orm.insert(formOperations).values(row).run(),
  findOperation: (key: OperationKey): OperationRow | undefined =>
    orm.select().from(formOperations).where(ofKey(key)).get(),
  findStarted: ({ workspaceId, kind, name }: Target): OperationRow | undefined =>
    orm
      .select()
      .from(formOperations)
      .where(
        and(
          eq(formOperations.workspaceId, workspaceId),
          eq(formOperations.kind, kind),
          eq(formOperations.name, name),
          isNull(formOperations.completedAt),
        ),
      )
      .get(),
  /** Finds the started operation that is about a native object. */
  findStartedOf: (nativeId: string): OperationRow | undefined =>
    orm
      .select()
      .from(formOperations)
      .where(and(eq(formOperations.nativeId, nativeId), isNull(formOperations.completedAt)))
      .get(),
  /** Lists the Resources with an operation that is not completed: one each. */
  listStarted: (): Target[] =>
    orm
      .select({ workspaceId: formOperations.workspaceId, kind: formOperations.kind, name: formOperations.name })
      .from(formOperations)
      .where(isNull(formOperations.completedAt))
      .all(),
  isStarted: (key: OperationKey): boolean =>
    orm
      .select({ key: formOperations.key })
      .from(formOperations)
      .where(and(ofKey(key), isNull(formOperations.completedAt)))
      .get() !== undefined,
  /** Completes a started operation. Returns whether it was started. */
  completeOperation: (key: OperationKey, completedAt: number): boolean =>
    orm
      .update(formOperations)
      .set({ completedAt, spec: null })
      .where(and(ofKey(key), isNull(formOperations.completedAt)))
      .run().changes === 1,
  deleteOperation: (key: OperationKey): void => void orm.delete(formOperations).where(ofKey(key)).run(),
  deleteCompletedBefore: (time: number): void =>
    void orm.delete(formOperations).where(lt(formOperations.completedAt, time)).run(),
});
