import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { actionOf } from '#shared/connections/auth-mode';
import { defaultGitUser, gitTokenKind, gitTokenName, gitUserName } from '#shared/connections/contract';
import type { ConnectionStatus } from '#shared/connections/machine';
import { moduleRegistryKind } from '#shared/connections/module-registry';
import { objectStorageKind } from '#shared/connections/object-storage';
import { takesArgument } from '#shared/connections/provider-source';
import type { JsonObject } from '#shared/kernel/json';
import { type ConnectionMaterials, openMaterials, renderMaterials, storesNothing } from './materials.ts';
import { type RegistryAccount, registryOf } from './module-registry.ts';
import { accountOf, type ObjectStorageAccount } from './object-storage.ts';
import { statusOf } from './records.ts';
import type { ConnectionRow, ConnectionsStore } from './store.ts';

/** A Connection without its values. */
export type ConnectionDescription = {
  id: string;
  workspaceId: string | undefined;
  scope: 'workspace' | 'operator';
  displayName: string | undefined;
  /** As returned by `canonicalSource`. */
  providerSource: string;
  recipeId: string | undefined;
  /** Providers that the recipe supports, `*` for every one; `[]` without a recipe. */
  terraformSource: readonly string[] | '*';
  authMode: string | undefined;
  /** Part of the recipe that gets credentials for each Run; undefined when a Run gets the stored ones. */
  action: 'preRun' | 'runIssuance' | undefined;
  /** Takes the expiry time into account. */
  status: ConnectionStatus;
  expiresAt: number | undefined;
  envNames: string[];
  files: { path: string; envName: string | undefined; mode: number }[];
  /** Arguments of the provider's block that can be set instead of the environment. */
  providerArguments: string[];
  moduleInputNames: string[];
  providerConfigNames: string[];
  managedProviderProfile: string | undefined;
  /** Covers everything but the status and its times: nothing else of a Connection ever changes. */
  digest: string;
};

/**
 * The reason why a Connection cannot be used for a provider of a Workspace; `managed` when its platform is not available here, `material`
 * when its values were erased.
 */
export type Unusable =
  | 'missing'
  | 'foreign'
  | 'revoked'
  | 'expired'
  | 'error'
  | 'git'
  | 'registry'
  | 'storage'
  | 'managed'
  | 'material';

type Deps = { store: ConnectionsStore; vault: Vault; clock: Clock; receivedProfiles: ReadonlySet<string> };

export const connectionNotFound = (): AppError =>
  new AppError('connection_not_found', 'The Connection does not exist in this Workspace.');

const messages: Readonly<Record<Exclude<Unusable, 'missing' | 'foreign'>, string>> = {
  revoked: 'The Connection was revoked. Create a new one and bind that.',
  expired: 'The Connection has expired. Create a new one with fresh credentials and bind that.',
  error: 'The Connection failed its last test. Test it again, or bind another.',
  git: 'The Connection is for Git repositories and supports no provider. Bind another.',
  registry: 'The Connection is for a module registry and supports no provider. Bind another.',
  storage: 'The Connection is for object storage and supports no provider. Bind another.',
  managed: 'The Connection belongs to a managed platform that this server does not support. Bind another.',
  material: 'The values of the Connection were erased. Create a new one and bind that.',
};
const kindProblems: Readonly<Record<string, 'git' | 'registry' | 'storage'>> = {
  [moduleRegistryKind]: 'registry',
  [objectStorageKind]: 'storage',
};
const notReady = (connectionId: string, why: keyof typeof messages): AppError =>
  failedPrecondition('provider_connection_not_ready', messages[why], { connectionId, why });

export type ConnectionAccess = ReturnType<typeof createConnectionAccess>;

/** Public API of Connections for the domains above. */
export function createConnectionAccess({ store, vault, clock, receivedProfiles }: Deps) {
  const isOf = (row: ConnectionRow, workspaceId: string) => row.workspaceId === null || row.workspaceId === workspaceId;

  function whyNot(row: ConnectionRow): Exclude<Unusable, 'missing' | 'foreign'> | undefined {
    const status = statusOf(row, clock.now());
    if (status === 'revoked' || status === 'expired' || status === 'error') return status;
    if (row.kind !== null) return kindProblems[row.kind] ?? 'git';
    // The profile is opaque: only an exact match counts, and no other field of a Connection replaces it.
    const profile = row.scopeHints?.managedProviderProfile;
    return profile === undefined || receivedProfiles.has(profile) ? undefined : 'managed';
  }
  function findUnusable(connectionId: string, workspaceId: string): Unusable | undefined {
    const row = store.find(connectionId);
    if (!row) return 'missing';
    return isOf(row, workspaceId) ? whyNot(row) : 'foreign';
  }

  /** The opened values of a Connection that is neither revoked nor erased. */
  function open(row: ConnectionRow) {
    const rows = store.listMaterials(row.id);
    if (rows.length === 0 && !(storesNothing(row) && row.status !== 'revoked'))
      throw notReady(row.id, row.status === 'revoked' ? 'revoked' : 'material');
    return openMaterials(vault, row, rows);
  }

  return {
    ...createHintReaders(store),
    ...createKindReaders({ store, vault, clock }),
    findUnusable,

    /** 404 `connection_not_found` for a Connection of another Workspace, 409 `provider_connection_not_ready` with `details.why`. */
    requireUsable(connectionId: string, workspaceId: string): ConnectionDescription {
      const row = store.find(connectionId);
      if (!row || !isOf(row, workspaceId)) throw connectionNotFound();
      const why = whyNot(row);
      if (why) throw notReady(connectionId, why);
      return describeRow(row, clock.now());
    },

    /** Returns revoked Connections too; undefined when none ever existed. */
    describe(connectionId: string): ConnectionDescription | undefined {
      const row = store.find(connectionId);
      return row && describeRow(row, clock.now());
    },

    /** Opens the vault. 409 `provider_connection_not_ready` for a Connection that may not be used any more. */
    materialize(connectionId: string, providerSource?: string): ConnectionMaterials {
      const row = store.find(connectionId);
      if (!row) throw connectionNotFound();
      const why = whyNot(row);
      if (why) throw notReady(connectionId, why);
      return renderMaterials(row, open(row), providerSource ?? row.providerSource);
    },

    /** For a test, which also accepts a Connection in error or past its expiry. */
    openAll: (row: ConnectionRow): ConnectionMaterials => renderMaterials(row, open(row), row.providerSource),
  };
}

/** Requires and opens the Connections that have a kind. */
function createKindReaders({ store, vault, clock }: Pick<Deps, 'store' | 'vault' | 'clock'>) {
  function findLive(connectionId: string, kind: string): ConnectionRow | undefined {
    const row = store.find(connectionId);
    const status = row && statusOf(row, clock.now());
    return row?.kind !== kind || status === 'revoked' || status === 'expired' ? undefined : row;
  }
  const valuesOf = (row: ConnectionRow) => openMaterials(vault, row, store.listMaterials(row.id)).env;

  return {
    /** 404 `connection_not_found`, 409 `connection_revoked`; `otherKind` throws for a Connection of another kind. */
    requireKind(
      connectionId: string,
      { workspaceId, kind, otherKind }: { workspaceId: string; kind: string; otherKind: () => AppError },
    ): void {
      const row = store.find(connectionId);
      if (!row || row.workspaceId !== workspaceId) throw connectionNotFound();
      if (row.kind !== kind) throw otherKind();
      if (row.status === 'revoked')
        throw failedPrecondition('connection_revoked', 'The Connection was revoked. Create a new one and use that.');
    },

    /** Registry and token of a Connection; undefined when the Connection cannot provide them any more. */
    findModuleRegistry(connectionId: string): RegistryAccount | undefined {
      const row = findLive(connectionId, moduleRegistryKind);
      return row && registryOf(row, valuesOf(row));
    },

    /** Lists the registries of a Workspace with their tokens, oldest Connection first. */
    listModuleRegistries: (workspaceId: string): RegistryAccount[] =>
      store.listOfKind(workspaceId, moduleRegistryKind).flatMap(({ id }) => {
        const row = findLive(id, moduleRegistryKind);
        return (row && registryOf(row, valuesOf(row))) ?? [];
      }),

    /** Bucket and keys of a Connection; undefined when the Connection cannot provide them any more. */
    findObjectStorage(connectionId: string): ObjectStorageAccount | undefined {
      const row = findLive(connectionId, objectStorageKind);
      return row && accountOf(row, valuesOf(row));
    },

    /** User name and token for a repository; undefined when the Connection cannot provide one any more. */
    findGitCredential(connectionId: string): { username: string; password: string } | undefined {
      const row = findLive(connectionId, gitTokenKind);
      const env = row && valuesOf(row);
      const password = env?.get(gitTokenName)?.reveal();
      return password === undefined
        ? undefined
        : { username: env?.get(gitUserName)?.reveal() ?? defaultGitUser, password };
    },
  };
}

/** Reads settings of Connections that are not secret. */
const createHintReaders = (store: Pick<ConnectionsStore, 'find'>) => ({
  /** Returns values for variables of the module that this Connection sets by default. */
  findInputDefaults: (connectionId: string): JsonObject =>
    (store.find(connectionId)?.scopeHints?.moduleInputDefaults ?? {}) as JsonObject,

  /** Returns the domain under which a Connection of the operator assigns hostnames. */
  findBaseDomain(connectionId: string): string | undefined {
    const row = store.find(connectionId);
    return row?.workspaceId === null ? row.scopeHints?.managedPublicBaseDomain : undefined;
  },
});

function describeRow(row: ConnectionRow, now: number): ConnectionDescription {
  const hints = row.scopeHints ?? {};
  return {
    id: row.id,
    workspaceId: row.workspaceId ?? undefined,
    scope: row.workspaceId === null ? 'operator' : 'workspace',
    displayName: row.displayName ?? undefined,
    providerSource: row.providerSource,
    recipeId: row.recipe?.id,
    terraformSource: row.recipe?.terraformSource ?? [],
    authMode: row.recipe?.authMode,
    action: row.recipe ? actionOf(row.recipe.mode) : undefined,
    status: statusOf(row, now),
    expiresAt: row.expiresAt ?? undefined,
    envNames: row.envNames,
    files: row.files.map(({ path, envName, mode }) => ({ path, envName, mode: Number.parseInt(mode, 8) })),
    providerArguments: Object.keys(row.recipe?.mode.providerArguments ?? {}).filter((argument) =>
      takesArgument(row.providerSource, argument),
    ),
    moduleInputNames: Object.keys(hints.moduleInputDefaults ?? {}),
    providerConfigNames: Object.keys(hints.providerConfig ?? {}),
    managedProviderProfile: hints.managedProviderProfile,
    digest: digestOf(row),
  };
}

const digestOf = ({
  id,
  workspaceId,
  providerSource,
  kind,
  recipe,
  envNames,
  files,
  scopeHints,
  createdAt,
}: ConnectionRow) =>
  jsonDigest({ id, workspaceId, providerSource, kind, recipe, envNames, files, scopeHints, createdAt });
