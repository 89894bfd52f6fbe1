import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Connection } from '#shared/connections/contract';
import { connectionMachine } from '#shared/connections/machine';
import { nothingLeft } from '#shared/kernel/endpoint';
import { next } from '#shared/kernel/machine';
import type { GitUrlRules } from '#shared/sources/git-address';
import type { NewConnection } from './checked-connection.ts';
import type { ConnectionRows } from './connection-rows.ts';
import { sealMaterials } from './materials.ts';
import type { CredentialServices } from './minting/credential-services.ts';
import { checkConnection } from './new-connection.ts';
import type { RecipeRegistry } from './recipes.ts';
import { connectionOf } from './records.ts';
import type { ConnectionRow, ConnectionsStore } from './store.ts';
import type { ConnectionUses } from './uses.ts';

export type LifecyclePorts = {
  db: Db;
  clock: Clock;
  store: Pick<ConnectionsStore, 'insert' | 'update' | 'deleteMaterials'>;
  vault: Vault;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  recipes: RecipeRegistry;
  gitRules: GitUrlRules;
  services: CredentialServices;
  /** Runs work whose deletions are overwritten in the ledger's file. */
  erase: <T>(work: () => T) => T;
  /** Consequences of a revoke: queued Runs that end, and Capsules that cannot be planned any more. */
  findDependents: (connectionId: string) => { queuedRuns: readonly string[]; capsules: readonly string[] };
};

const capsulesNamed = 100;

/** Creates Connections and revokes them. */
export function createConnectionLifecycle({
  rows,
  listHolders,
  ...deps
}: LifecyclePorts & { rows: ConnectionRows; listHolders: ConnectionUses['listHolders'] }) {
  const { db, clock, store, vault, workspaces } = deps;

  function create(input: NewConnection, actorId: string): Connection {
    const { workspaceId, displayName, scopeHints, expiresAt, ...unchecked } = input;
    const { provider, kind, credentialRecipe, values, files, ...rest } = unchecked;
    nothingLeft(rest);
    if (workspaceId !== undefined) {
      workspaces.requireLive(workspaceId);
      refuseBaseDomain(scopeHints);
    }
    const { materials, ...checked } = checkConnection(
      { provider, kind, credentialRecipe, values, files, displayName, scopeHints },
      {
        findRecipe: deps.recipes.find,
        gitRules: deps.gitRules,
        hasService: (recipeId) => deps.services.find(recipeId) !== undefined,
        isOperator: workspaceId === undefined,
      },
    );
    const now = clock.now();
    const row: ConnectionRow = {
      id: newId('connection'),
      workspaceId: workspaceId ?? null,
      status: 'pending',
      ...checked,
      displayName: displayName ?? null,
      scopeHints: scopeHints ?? null,
      createdBy: actorId,
      createdAt: now,
      updatedAt: now,
      verifiedAt: null,
      expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
    };
    return db.write(() => {
      store.insert(row, sealMaterials(vault, row, materials));
      const { id: recipeId, authMode } = row.recipe ?? {};
      rows.recordActivity(row, 'connection.created', { actorId, provider: row.providerSource, recipeId, authMode });
      rows.notify(row, row.status);
      return connectionOf(row, now);
    });
  }

  return {
    create,

    /** Revokes the Connection permanently and erases its values; repeating it changes nothing. Running tools are not stopped. */
    revoke(id: string, actorId: string): void {
      deps.erase(() => {
        const row = rows.getRow(id);
        const status = next(connectionMachine, row.status, 'revoke');
        if (!status) return;
        store.update(id, { status, updatedAt: clock.now() });
        const erased = store.deleteMaterials(id);
        const heldByRuns = listHolders(id);
        const { queuedRuns, capsules } = deps.findDependents(id);
        const lists = Object.entries({ heldByRuns, queuedRuns, boundCapsules: capsules.slice(0, capsulesNamed) });
        const named = Object.fromEntries(lists.filter(([, ids]) => ids.length > 0));
        rows.recordActivity(row, 'connection.revoked', { actorId, erased, ...named });
        rows.notify(row, status);
      });
    },
  };
}

function refuseBaseDomain({ managedPublicBaseDomain }: NonNullable<NewConnection['scopeHints']> = {}): void {
  if (managedPublicBaseDomain === undefined) return;
  throw new AppError(
    'invalid_request',
    'Only a Connection of the operator can name a domain for hostnames. Leave managedPublicBaseDomain out.',
    { details: { field: '/scopeHints/managedPublicBaseDomain' } },
  );
}
