import type { ActivityService } from '#server/domains/activity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Outbox } from '#server/kernel/outbox';
import { afterCreated, createdOf, type PageQuery, readPage } from '#server/kernel/page';
import type { Connection } from '#shared/connections/contract';
import { availableRecipes, type Recipe } from '#shared/connections/recipe';
import { createConnectionAccess } from './access.ts';
import { createConnectionRows } from './connection-rows.ts';
import { createConnectionTests, type TestPorts } from './connection-tests.ts';
import { createConnectionLifecycle, type LifecyclePorts } from './lifecycle.ts';
import { createMint, type MintPorts } from './minting/mint.ts';
import { createRevocations, type RevocationPorts } from './minting/revocations.ts';
import { connectionOf } from './records.ts';
import type { ConnectionsStore } from './store.ts';
import { createConnectionUses, type UsePorts } from './uses.ts';

export type ConnectionsService = ReturnType<typeof createConnectionsService>;

type Deps = LifecyclePorts &
  TestPorts &
  MintPorts &
  RevocationPorts &
  UsePorts & {
    outbox: Outbox;
    store: ConnectionsStore;
    activity: Pick<ActivityService, 'record'>;
    workspaces: Pick<WorkspacesService, 'requireLive' | 'getWorkspace'>;
    /** Profiles of managed Connections that this server receives as a platform. */
    receivedProfiles: ReadonlySet<string>;
  };

/** The Connections of Workspaces and of the operator. */
export function createConnectionsService(deps: Deps) {
  const { clock, cursors, store, workspaces } = deps;
  const access = createConnectionAccess(deps);
  const rows = createConnectionRows(deps);
  const { listHolders, ...uses } = createConnectionUses({ ...deps, access });

  return {
    ...access,
    ...uses,
    ...createConnectionLifecycle({ ...deps, rows, listHolders }),
    ...createConnectionTests({ ...deps, rows, access }),
    listRecipes: deps.recipes.list,
    /** Returns the recipes with the modes that a Connection can be created with now. */
    listAvailableRecipes: (): Recipe[] =>
      availableRecipes(deps.recipes.list(), (recipeId) => deps.services.find(recipeId) !== undefined),
    mint: createMint(deps),
    revocations: createRevocations(deps),
    get: (id: string): Connection => connectionOf(rows.getRow(id), clock.now()),
    /** The Workspace of a Connection that belongs to one. */
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId ?? undefined,
    requireWorkspace: (id: string): void => void workspaces.getWorkspace(id),

    /** Connections of a Workspace, or with `null` those of the operator, oldest first. */
    list(workspaceId: string | null, query: PageQuery): { connections: Connection[]; nextCursor?: string } {
      const { rows, next: more } = readPage(cursors, query, {
        binding: `connections:${workspaceId ?? 'operator'}`,
        fetch: (after, limit) => store.listPage(workspaceId, afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { connections: rows.map((row) => connectionOf(row, clock.now())), ...more };
    },
    listForProviders: (workspaceId: string): Connection[] =>
      store.listForProviders(workspaceId).map((row) => connectionOf(row, clock.now())),
  };
}
