import { and, asc, eq, exists, inArray, isNotNull, ne, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { isAfter } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import type { OwnerKind, OwnerRef } from '#shared/interfaces/contract';
import type { InterfacePhase } from '#shared/interfaces/machine';
import { interfaceBindings, interfaceResourceSources, interfaceSources, interfaces } from './schema.ts';

export type InterfaceRow = typeof interfaces.$inferSelect;
export type InterfacesStore = ReturnType<typeof createInterfacesStore>;

/** Records whose Outputs a spec reads, without repeats. */
export type InputSources = { capsuleIds: readonly string[]; resourceIds: readonly string[] };

/** A ready binding that listed Interfaces must have. */
export type ReadyFor = { permission: string; principalId: string | undefined };
export type InterfaceFilter = {
  workspaceId: string;
  type?: string | undefined;
  version?: string | undefined;
  phase?: InterfacePhase | undefined;
  ownerKind?: OwnerKind | undefined;
  ownerId?: string | undefined;
  /** Capsule that owns the Interface, or whose Output holds the address of one that a Resource owns. */
  openedFrom?: string | undefined;
  ready?: ReadyFor | undefined;
  includeRetired?: boolean | undefined;
};

const isLive = ne(interfaces.phase, 'Retired').inlineParams();

export const createInterfacesStore = (db: Db) => ({
  ...rows(db),
  ...lists(db),
  ...relatedRows(db),
  ...blueprintRows(db),
});

const rows = (db: Db) => ({
  find: (id: string): InterfaceRow | undefined => db.orm.select().from(interfaces).where(eq(interfaces.id, id)).get(),

  findByName: (workspaceId: string, name: string): InterfaceRow | undefined =>
    db.orm
      .select()
      .from(interfaces)
      .where(and(eq(interfaces.workspaceId, workspaceId), eq(interfaces.name, name), isLive))
      .get(),

  insert(row: InterfaceRow, sources: InputSources): void {
    db.orm.insert(interfaces).values(row).run();
    insertSources(db, row.id, sources);
  },

  /** Changes exactly one row, and only while it is at the generation and phase that the caller read. */
  update: (row: Pick<InterfaceRow, 'id' | 'generation' | 'phase'>, set: Partial<InterfaceRow>): boolean =>
    db.orm
      .update(interfaces)
      .set(set)
      .where(and(eq(interfaces.id, row.id), eq(interfaces.generation, row.generation), eq(interfaces.phase, row.phase)))
      .run().changes === 1,

  replaceSources(id: string, sources: InputSources): void {
    db.orm.delete(interfaceSources).where(eq(interfaceSources.interfaceId, id)).run();
    db.orm.delete(interfaceResourceSources).where(eq(interfaceResourceSources.interfaceId, id)).run();
    insertSources(db, id, sources);
  },
});

const lists = (db: Db) => ({
  /** Lists the live Interfaces of an owner, oldest first. */
  listOwned: (ownerKind: OwnerKind, ownerId: string): InterfaceRow[] =>
    db.orm
      .select()
      .from(interfaces)
      .where(and(eq(interfaces.ownerKind, ownerKind), eq(interfaces.ownerId, ownerId), isLive))
      .orderBy(asc(interfaces.createdAt), asc(interfaces.id))
      .all(),

  listLive: (workspaceId: string): InterfaceRow[] =>
    db.orm
      .select()
      .from(interfaces)
      .where(and(eq(interfaces.workspaceId, workspaceId), isLive))
      .all(),

  /** Lists the resolved Interfaces of one type and version, oldest first. */
  listResolved: (workspaceId: string, { type, version }: { type: string; version: string }, limit: number) =>
    db.orm
      .select()
      .from(interfaces)
      .where(
        and(
          eq(interfaces.workspaceId, workspaceId),
          eq(interfaces.type, type),
          eq(interfaces.version, version),
          eq(interfaces.phase, 'Resolved'),
        ),
      )
      .orderBy(asc(interfaces.createdAt), asc(interfaces.id))
      .limit(limit)
      .all(),

  /** Lists the live Interfaces of the installation that claim a resource URI, oldest first. */
  listClaiming: (uri: string): InterfaceRow[] =>
    db.orm
      .select()
      .from(interfaces)
      .where(and(eq(interfaces.claimUri, uri), isLive))
      .orderBy(asc(interfaces.createdAt), asc(interfaces.id))
      .all(),

  listPage: (filter: InterfaceFilter, after: Created, limit: number): InterfaceRow[] =>
    db.orm
      .select()
      .from(interfaces)
      .where(
        and(...conditionsOf(db, filter), isAfter([interfaces.createdAt, interfaces.id], [after.createdAt, after.id])),
      )
      .orderBy(asc(interfaces.createdAt), asc(interfaces.id))
      .limit(limit)
      .all(),
});

const relatedRows = (db: Db) => {
  /** Lists the live Interfaces among some ids. A correlated subquery would read every Interface of the installation. */
  const listLiveOf = (ids: SQLWrapper): InterfaceRow[] =>
    db.orm
      .select()
      .from(interfaces)
      .where(and(isLive, inArray(interfaces.id, ids)))
      .all();
  return {
    /** Lists the live Interfaces that read Outputs of a Capsule. */
    listReading: (capsuleId: string): InterfaceRow[] =>
      listLiveOf(
        db.orm
          .select({ id: interfaceSources.interfaceId })
          .from(interfaceSources)
          .where(eq(interfaceSources.capsuleId, capsuleId)),
      ),

    /** Lists the live Interfaces that read the Output of a Resource. */
    listReadingResource: (resourceId: string): InterfaceRow[] =>
      listLiveOf(
        db.orm
          .select({ id: interfaceResourceSources.interfaceId })
          .from(interfaceResourceSources)
          .where(eq(interfaceResourceSources.resourceId, resourceId)),
      ),

    /** Lists the live Interfaces with a live binding that delivers OAuth tokens. */
    listOAuthBound: (): InterfaceRow[] =>
      listLiveOf(
        db.orm
          .select({ id: interfaceBindings.interfaceId })
          .from(interfaceBindings)
          .where(
            and(
              ne(interfaceBindings.phase, 'Revoked').inlineParams(),
              sql`json_extract(${interfaceBindings.delivery}, '$.type') = 'oauth2'`,
            ),
          ),
      ),
  };
};

const isOf = ({ kind, id }: OwnerRef) => and(eq(interfaces.ownerKind, kind), eq(interfaces.ownerId, id));
const isOfBlueprint = (owner: OwnerRef, key: string) => and(isOf(owner), eq(interfaces.blueprintKey, key));

const blueprintRows = (db: Db) => ({
  /** Lists the Capsules of a Workspace that have a state and are not destroyed, oldest first. */
  listAppliedCapsules: (workspaceId: string): string[] =>
    db.orm
      .select({ id: capsules.id })
      .from(capsules)
      .where(
        and(
          eq(capsules.workspaceId, workspaceId),
          ne(capsules.status, 'destroyed'),
          isNotNull(capsules.currentStateVersionId),
        ),
      )
      .orderBy(asc(capsules.createdAt), asc(capsules.id))
      .all()
      .map(({ id }) => id),

  /** Returns the newest Interface of a blueprint, also a retired one. */
  findOfBlueprint: (owner: OwnerRef, key: string): InterfaceRow | undefined =>
    db.orm
      .select()
      .from(interfaces)
      .where(isOfBlueprint(owner, key))
      .orderBy(sql`${interfaces.createdAt} DESC, ${interfaces.id} DESC`)
      .limit(1)
      .get(),

  /** Marks the Interfaces of a key, also retired ones, as no longer equal to a blueprint. */
  clearBlueprint: (owner: OwnerRef, key: string): void =>
    void db.orm.update(interfaces).set({ blueprintDigest: null }).where(isOfBlueprint(owner, key)).run(),

  /** Lists the keys of the blueprints that were applied for an owner, also of Interfaces that a person has retired. */
  listAppliedKeys: (owner: OwnerRef): string[] =>
    db.orm
      .selectDistinct({ key: interfaces.blueprintKey })
      .from(interfaces)
      .where(and(isOf(owner), isNotNull(interfaces.blueprintDigest)))
      .all()
      .flatMap(({ key }) => key ?? []),
});

function insertSources(db: Db, interfaceId: string, { capsuleIds, resourceIds }: InputSources): void {
  for (const capsuleId of capsuleIds) db.orm.insert(interfaceSources).values({ interfaceId, capsuleId }).run();
  for (const resourceId of resourceIds)
    db.orm.insert(interfaceResourceSources).values({ interfaceId, resourceId }).run();
}

function conditionsOf(db: Db, filter: InterfaceFilter): (SQL | undefined)[] {
  const { workspaceId, type, version, phase, ownerKind, ownerId, openedFrom, ready, includeRetired } = filter;
  return [
    eq(interfaces.workspaceId, workspaceId),
    type === undefined ? undefined : eq(interfaces.type, type),
    version === undefined ? undefined : eq(interfaces.version, version),
    phase === undefined ? undefined : eq(interfaces.phase, phase),
    ownerKind === undefined ? undefined : eq(interfaces.ownerKind, ownerKind),
    ownerId === undefined ? undefined : eq(interfaces.ownerId, ownerId),
    openedFrom === undefined ? undefined : isOpenedFrom(openedFrom),
    includeRetired || phase === 'Retired' ? undefined : isLive,
    ready && exists(readyBindings(db, ready)),
  ];
}

const addressPath = sql`'$.inputs."' || json_extract(${interfaces.spec}, '$.access.resourceUriInput') || '".capsuleId'`;
const isOpenedFrom = (capsuleId: string) =>
  or(
    isOf({ kind: 'Capsule', id: capsuleId }),
    and(eq(interfaces.ownerKind, 'Resource'), sql`json_extract(${interfaces.spec}, ${addressPath}) = ${capsuleId}`),
  );

const readyBindings = (db: Db, { permission, principalId }: ReadyFor) =>
  db.orm
    .select({ one: sql`1` })
    .from(interfaceBindings)
    .where(
      and(
        eq(interfaceBindings.interfaceId, interfaces.id),
        eq(interfaceBindings.phase, 'Ready'),
        principalId === undefined
          ? undefined
          : and(eq(interfaceBindings.subjectKind, 'Principal'), eq(interfaceBindings.subjectId, principalId)),
        sql`EXISTS (SELECT 1 FROM json_each(${interfaceBindings.permissions}) WHERE value = ${permission})`,
      ),
    );
