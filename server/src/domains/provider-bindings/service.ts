import { type CapsuleRow, type CapsulesService, findHold } from '#server/domains/capsules/index';
import type { ConnectionDescription, ConnectionsService } from '#server/domains/connections/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { Json } from '#shared/kernel/json';
import type { BoundCapsule, providerBindingsApi } from '#shared/provider-bindings/api';
import type { ProviderBinding, ProviderBindingSet } from '#shared/provider-bindings/contract';
import { createBindingRequirements } from './requirements.ts';
import { createBindingResolver } from './resolution.ts';
import type { ProviderBindingsStore, SetRow } from './store.ts';

export type ProviderBindingsService = ReturnType<typeof createProviderBindingsService>;

/** A default of a Connection for a variable of the module. */
export type InputDefault = { connection: ConnectionDescription; value: Json };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: ProviderBindingsStore;
  connections: Pick<
    ConnectionsService,
    'findUnusable' | 'describe' | 'findInputDefaults' | 'findBaseDomain' | 'materialize' | 'listRecipes'
  >;
  capsules: Pick<CapsulesService, 'getRow'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
};

/** Manages which Connection serves each provider configuration of a Capsule's module. */
export function createProviderBindingsService(deps: Deps) {
  const { connections, store } = deps;
  const resolver = createBindingResolver(deps);

  return {
    resolve: resolver.resolve,
    findUnbound: resolver.findUnbound,
    ...createBindingRequirements({ connections, findMissing: resolver.findMissing }),
    ...createBindingSets(deps),

    /** Returns the names of variables that these bindings set by default. */
    listDefaults: (bindings: readonly ProviderBinding[]): string[] =>
      bindings.flatMap(({ connectionId }) => connections.describe(connectionId)?.moduleInputNames ?? []),

    /** Returns the domain under which these bindings assign hostnames. Throws 409 `app_hostname_unavailable` for two of them. */
    findBaseDomain: (bindings: readonly ProviderBinding[]): string | undefined => {
      const domains = new Set(bindings.flatMap(({ connectionId }) => connections.findBaseDomain(connectionId) ?? []));
      if (domains.size > 1)
        throw failedPrecondition(
          'app_hostname_unavailable',
          'Two bound Connections assign hostnames under different domains. Bind only one of them.',
        );
      return [...domains][0];
    },

    /** Returns the default that these bindings give each variable, and its Connection. The first Connection takes precedence. */
    listInputDefaults: (bindings: readonly ProviderBinding[]): Map<string, InputDefault> =>
      new Map(
        [...bindings].reverse().flatMap(({ connectionId }) => {
          const connection = connections.describe(connectionId);
          const defaults = Object.entries(connections.findInputDefaults(connectionId));
          return connection
            ? defaults.map(([name, value]) => [name, { connection, value: value as Json }] as const)
            : [];
        }),
      ),

    /** Lists the Capsules that a Connection is bound to. */
    listCapsulesOf: store.listCapsulesOf,
  };
}

/** The stored bindings of Capsules. */
function createBindingSets({ db, clock, cursors, store, capsules }: Deps) {
  const setOf = (row: SetRow): ProviderBindingSet => ({
    ...row,
    bindings: store.listBindings(row.id),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  });
  const listBindings = (capsuleId: string): ProviderBinding[] => {
    const row = store.findSet(capsuleId);
    return row ? store.listBindings(row.id) : [];
  };
  return {
    listBindings,
    findSet: (capsuleId: string): ProviderBindingSet | null => {
      const row = store.findSet(capsuleId);
      return row ? setOf(row) : null;
    },
    /**
     * Replaces the bindings of a Capsule, in the caller's transaction. A Capsule that never had bindings gets no empty
     * set.
     */
    replace(
      capsule: Pick<CapsuleRow, 'id' | 'workspaceId' | 'environment'>,
      bindings: readonly ProviderBinding[],
    ): void {
      db.write(() => {
        const known = store.findSet(capsule.id);
        if (!known && bindings.length === 0) return;
        const now = clock.now();
        const { id: capsuleId, workspaceId, environment } = capsule;
        const row = known ?? {
          id: newId('bindingSet'),
          workspaceId,
          capsuleId,
          environment,
          createdAt: now,
          updatedAt: now,
        };
        store.saveSet({ ...row, updatedAt: now });
        store.replaceBindings(row.id, bindings);
      });
    },

    listBoundCapsules(
      at: { connectionId: string; workspaceId: string },
      query: ListQueryOf<typeof providerBindingsApi.listBoundCapsules>,
    ): { capsules: BoundCapsule[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `bound-capsules:${at.connectionId}`,
        fetch: (after, limit) => store.listSetsOf(at, String(after?.[0] ?? ''), limit),
        positionOf: ({ id }) => [id],
      });
      const capsuleOf = ({ id, capsuleId }: SetRow): BoundCapsule => {
        const row = capsules.getRow(capsuleId);
        const { name, environment, status } = row;
        const bindings = store.listBindings(id).filter(({ connectionId }) => connectionId === at.connectionId);
        return { capsuleId, name, environment, status, hold: findHold(row, clock.now()) ?? null, bindings };
      };
      return { capsules: rows.map(capsuleOf), ...next };
    },
  };
}
