import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, invalidArgument, notFound } from '#server/kernel/errors';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import type { interfacesApi } from '#shared/interfaces/api';
import type { Interface } from '#shared/interfaces/contract';
import { interfaceTag } from '#shared/interfaces/tag';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { mergeConditions } from './conditions.ts';
import { interfaceOf } from './records.ts';
import type { References } from './references.ts';
import { requirePublicTexts } from './spec-rules.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';
import type { InterfacePatch, InterfaceWrites } from './writes.ts';

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: Pick<InterfacesStore, 'find' | 'listPage'>;
  references: References;
  writes: InterfaceWrites;
};
/** An Interface with the entity tag of its version. */
export type Tagged = { record: Interface; etag: string };
/** The caller of a conditional request, with the entity tags that it sent. */
export type ConditionalCaller = { actorId: string; ifMatch: string | undefined };

export type InterfaceRecords = ReturnType<typeof createInterfaceRecords>;

const retired = () => new AppError('conflict', 'The Interface is retired. Create another one.');
const taggedOf = (row: InterfaceRow): Tagged => ({ record: interfaceOf(row), etag: interfaceTag(row) });

/** The requests to Interfaces. */
export function createInterfaceRecords({ db, clock, cursors, store, references, writes }: Deps) {
  function getRow(id: string): InterfaceRow {
    const row = store.find(id);
    if (!row) throw notFound('Interface');
    return row;
  }

  function getLive(id: string): InterfaceRow {
    const row = getRow(id);
    if (row.phase === 'Retired') throw retired();
    return row;
  }

  return {
    getRow,
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    get: (id: string): Tagged => taggedOf(getRow(id)),

    create(body: BodyOf<typeof interfacesApi.createInterface>, actorId: string): Tagged {
      const { workspaceId, name, ownerRef, labels, spec, ...rest } = body;
      nothingLeft(rest);
      return db.write(() => {
        references.requireOwner(ownerRef, workspaceId);
        references.requireInputs(spec, workspaceId);
        return taggedOf(writes.insert({ workspaceId, name, ownerRef, labels, spec }, { actorId }));
      });
    },

    /** Throws 400 `empty_patch`, then 409 `conflict` when it is retired, 412 for another version, 409 `already_exists`. */
    update(
      id: string,
      { name, labels, spec, ...rest }: InterfacePatch,
      { actorId, ifMatch }: ConditionalCaller,
    ): Tagged {
      nothingLeft(rest);
      const patch = { name, labels, spec };
      return db.write(() => {
        if (Object.values(patch).every((value) => value === undefined))
          throw invalidArgument('empty_patch', 'Name at least one field to change.');
        if (spec) references.requireInputs(spec, getRow(id).workspaceId);
        const row = getLive(id);
        requireMatch(row, ifMatch);
        return taggedOf(writes.change(row, patch, { actorId }));
      });
    },

    /** Retires an Interface, and with it revokes its bindings. Throws 412, and 409 `conflict` when it is retired. */
    remove: (id: string, { actorId, ifMatch }: ConditionalCaller): Tagged =>
      db.write(() => {
        const row = getLive(id);
        requireMatch(row, ifMatch);
        return taggedOf(writes.retire(row, { actorId }));
      }),

    /** Merges conditions by type. No generation moves. Throws 409 `conflict` when it is retired. */
    reportStatus(
      id: string,
      { conditions, ...rest }: BodyOf<typeof interfacesApi.reportInterfaceStatus>,
      actorId: string,
    ): Tagged {
      nothingLeft(rest);
      const texts = conditions.flatMap(({ type, reason = '', message = '' }) => [type, reason, message]);
      requirePublicTexts(texts, '/conditions');
      return db.write(() => {
        const row = getLive(id);
        const saved = writes.save(row, { conditions: mergeConditions(row, conditions, clock.now()) });
        const metadata = { types: conditions.map(({ type }) => type) };
        writes.record('interface.status_reported', saved, { actorId, metadata });
        return taggedOf(saved);
      });
    },

    /** Lists Interfaces, oldest first. `principalId` is whose bindings the filter by permission reads; absent for all. */
    list(query: ListQueryOf<typeof interfacesApi.listInterfaces>, principalId: string | undefined) {
      const { workspaceId, type, phase, ownerKind, ownerId, permission, includeRetired, ...page } = query;
      const ready = permission === undefined ? undefined : { permission, principalId };
      const filter = { workspaceId, type, phase, ownerKind, ownerId, ready, includeRetired };
      const { rows, next } = readPage(cursors, page, {
        binding: `interfaces:${jsonDigest(filter)}`,
        fetch: (after, limit) => store.listPage(filter, afterCreated(after), limit),
        positionOf: createdOf,
      });
      const interfaces: Interface[] = rows.map(interfaceOf);
      return { interfaces, ...next };
    },
  };
}

/** Throws 412 unless the caller has read this version (RFC 9110, 13.1.1). */
function requireMatch(row: InterfaceRow, ifMatch: string | undefined): void {
  if (ifMatch === undefined)
    throw new AppError(
      'failed_precondition',
      'This request needs the header If-Match. Read the Interface, and send its ETag.',
      { status: 412 },
    );
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes('*') || tags.includes(interfaceTag(row))) return;
  throw new AppError(
    'failed_precondition',
    'The Interface has changed since you read it. Read it again, and send its new ETag.',
    { status: 412 },
  );
}
