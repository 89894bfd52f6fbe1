import { and, asc, eq, ne, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { BindingOrigin, SubjectRef } from '#shared/interfaces/contract';
import { interfaceBindings } from './schema.ts';

export type BindingRow = typeof interfaceBindings.$inferSelect;
export type BindingsStore = ReturnType<typeof createBindingsStore>;

/** Blueprint that a binding was made of. */
export type BindingOriginColumns = { origin?: BindingOrigin; packageKey?: string };

const isLive = ne(interfaceBindings.phase, 'Revoked').inlineParams();

export const createBindingsStore = (db: Db) => ({
  find: (id: string): BindingRow | undefined =>
    db.orm.select().from(interfaceBindings).where(eq(interfaceBindings.id, id)).get(),

  /** Returns the live binding of an Interface with exactly this subject, permissions and delivery. */
  findEqual: (interfaceId: string, specDigest: string): BindingRow | undefined =>
    db.orm
      .select()
      .from(interfaceBindings)
      .where(and(eq(interfaceBindings.interfaceId, interfaceId), eq(interfaceBindings.specDigest, specDigest), isLive))
      .get(),

  insert: (row: BindingRow): void => void db.orm.insert(interfaceBindings).values(row).run(),

  /** Changes exactly one row, and only while it has the phase that the caller read. */
  update: (row: Pick<BindingRow, 'id' | 'phase'>, set: Partial<BindingRow>): boolean =>
    db.orm
      .update(interfaceBindings)
      .set(set)
      .where(and(eq(interfaceBindings.id, row.id), eq(interfaceBindings.phase, row.phase)))
      .run().changes === 1,

  /** Lists the bindings of an Interface, oldest first, with the revoked ones. */
  listOf: (interfaceId: string): BindingRow[] =>
    db.orm
      .select()
      .from(interfaceBindings)
      .where(eq(interfaceBindings.interfaceId, interfaceId))
      .orderBy(asc(interfaceBindings.createdAt), asc(interfaceBindings.id))
      .all(),

  listLiveOf: (interfaceId: string): BindingRow[] =>
    db.orm
      .select()
      .from(interfaceBindings)
      .where(and(eq(interfaceBindings.interfaceId, interfaceId), isLive))
      .orderBy(asc(interfaceBindings.createdAt), asc(interfaceBindings.id))
      .all(),

  /** Lists the bindings that were made for a Capsule that uses an Interface, with the revoked ones; of one requirement, or of all. */
  listOfRequirement: (capsuleId: string, key?: string): BindingRow[] =>
    db.orm
      .select()
      .from(interfaceBindings)
      .where(
        and(
          sql`json_extract(${interfaceBindings.origin}, '$.source') = 'capsule_required_interface'`,
          sql`json_extract(${interfaceBindings.origin}, '$.capsuleId') = ${capsuleId}`,
          key === undefined ? undefined : sql`json_extract(${interfaceBindings.origin}, '$.requirementKey') = ${key}`,
        ),
      )
      .all(),

  /** Lists the live bindings of a subject in a Workspace. */
  listOfSubject: ({ kind, id }: SubjectRef, workspaceId: string): BindingRow[] =>
    db.orm
      .select()
      .from(interfaceBindings)
      .where(
        and(
          eq(interfaceBindings.subjectKind, kind),
          eq(interfaceBindings.subjectId, id),
          eq(interfaceBindings.workspaceId, workspaceId),
          isLive,
        ),
      )
      .all(),
});
