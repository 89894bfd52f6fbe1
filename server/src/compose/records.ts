import { existsSync } from 'node:fs';
import { gitTokenKind } from '#shared/connections/contract';
import { createExecutionStore, type ExecutionStore, runDirOf } from '../domains/execution/index.ts';
import { createAdoption } from '../domains/install-configs/index.ts';
import { createIssuerService } from '../domains/issuer/index.ts';
import { createKeysService } from '../domains/keys/index.ts';
import { createPlansStore } from '../domains/plans/index.ts';
import {
  createGrants,
  createMinting,
  createProviderBindingsService,
  createProviderBindingsStore,
  createSecretRetirement,
} from '../domains/provider-bindings/index.ts';
import {
  createInspection,
  createSourceHooks,
  createSourcesService,
  createSourcesStore,
  createStableVersions,
  type PolicyQuery,
  type SourcesService,
  type SourcesStore,
} from '../domains/sources/index.ts';
import { readInstallationId } from '../kernel/installation.ts';
import { type AppContext, foldersOf, mirroredIn } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { buildCapsules } from './capsules.ts';
import { buildConnections } from './connections.ts';
import { createSample } from './sample.ts';
import { sealedColumns } from './sealed-columns.ts';

export type RecordDomains = ReturnType<typeof buildRecords>;

/** Builds the stored records: Sources, Connections, Capsules with everything they own, and their keys. */
export function buildRecords(context: AppContext, base: BaseDomains) {
  const { settings, db, vault } = context;
  const { shared, activity, workspaces, runs } = base;
  const { driftStore, ...capsuleDomains } = buildCapsules(context, base);
  const folders = foldersOf(settings);
  const executionStore = createExecutionStore(db);
  const keys = keysOf(context, base, executionStore);
  const sourcesStore = createSourcesStore(db);
  const { capsules } = capsuleDomains;
  const issuer = buildIssuer(context, base, capsuleDomains);
  const gitRules = { allowLoopback: settings.allowLoopbackGit, allowLocal: settings.allowLocalGit };
  const { connections, oauth } = buildConnections(context, base, {
    gitRules,
    findUrl: sourcesStore.findUrlOfConnection,
    nameOfCapsule: (id) => capsules.getRow(id).name,
    findDependents: (id) => ({ queuedRuns: executionStore.listWaitingFor(id), capsules: bindings.listCapsulesOf(id) }),
    erase: keys.erase,
  });
  const sources = createSourcesService({
    ...shared,
    store: sourcesStore,
    vault,
    runs,
    activity,
    workspaces,
    gitRules,
    mayReadDisk: diskRuleOf(context, base),
    hasCapsule: capsules.hasSource,
    listAdoptedLanes: capsules.listAdoptedLanes,
    requireGitConnection: (connectionId, workspaceId, otherKind) =>
      connections.requireKind(connectionId, { workspaceId, kind: gitTokenKind, otherKind }),
  });
  const stableVersions = createStableVersions({ git: context.git, sources });
  const bindingsStore = createProviderBindingsStore(db);
  const bindings = createProviderBindingsService({
    ...shared,
    store: bindingsStore,
    connections,
    capsules,
    workspaces,
  });
  const issued = buildGrants(context, base, { store: bindingsStore, connections, capsules, erase: keys.erase });
  const findTool = scanToolOf(context);
  const inspection = createInspection({
    ...shared,
    store: sourcesStore,
    scan: context.scan,
    code: context.code,
    runs,
    sources,
    activity,
    archivesDir: folders.archives,
    findTool,
    findUnbound: bindings.findUnbound,
    findPolicies: policiesOf({ ...capsuleDomains, workspaces }),
    listMirrored: () => mirroredIn(folders),
  });
  const adoption = adoptionOf(context, { ...capsuleDomains, workspaces, sources, store: sourcesStore });
  return {
    keys,
    connections,
    oauth,
    ...capsuleDomains,
    issuer,
    sources,
    hooks: createSourceHooks({ vault, store: sourcesStore, watch: sources.watch, isPaused: base.pause.isPaused }),
    stableVersions,
    inspection,
    adoption,
    findTool,
    bindings,
    ...issued,
    stores: { execution: executionStore, plans: createPlansStore(db), sources: sourcesStore, drift: driftStore },
  };
}

type GrantParts = Pick<Parameters<typeof createGrants>[0], 'store' | 'erase'> &
  Pick<ReturnType<typeof buildConnections>, 'connections'> &
  Pick<ReturnType<typeof buildCapsules>, 'capsules'>;

/** Builds the credentials that Runs are issued from Connections. They are erased when the Run or its Capsule ends. */
function buildGrants({ db, clock, vault }: AppContext, { runs }: BaseDomains, { capsules, ...parts }: GrantParts) {
  const grants = createGrants({ ...parts, db, clock, vault });
  runs.onLeave(({ id }) => grants.revoke(id));
  const retireSecrets = createSecretRetirement({ clock, runs, grants });
  capsules.onMoving(({ id, status }) => {
    if (status === 'destroyed') retireSecrets(id);
  });
  return { grants, mintCredentials: createMinting({ connections: parts.connections, clock }) };
}

/** Everyone may read the sample. Other repositories on the server's disk belong to its owner. */
function diskRuleOf({ settings }: AppContext, { identity }: BaseDomains) {
  const sample = createSample(settings.dataDir);
  return (actorId: string, url: string): boolean =>
    url === sample.url || settings.localGitForEveryone || actorId === 'operator' || identity.isLocalOwner(actorId);
}

/** Builds the keys of all sealed values, including the run folders that may be opened again. */
function keysOf(
  { settings, clock, log, vault, keysStore, masterKeys }: AppContext,
  base: BaseDomains,
  store: ExecutionStore,
) {
  const folders = foldersOf(settings);
  const listUses = () =>
    store.listKeyUses(clock.now()).filter(({ runId, isEnded }) => !isEnded || existsSync(runDirOf(folders, runId)));
  const { shared, activity } = base;
  const { dataDir } = settings;
  return createKeysService({
    ...shared,
    log,
    vault,
    activity,
    store: keysStore,
    masterKeys,
    dataDir,
    installationId: readInstallationId(shared.db),
    columns: sealedColumns,
    listUses,
  });
}

/** Returns the tool of this machine, or the one that would be installed. */
const scanToolOf =
  ({ toolManager, pinnedToolVersion }: AppContext) =>
  async () =>
    (await toolManager.current())?.tool ?? { name: 'tofu' as const, version: pinnedToolVersion };

type Policies = Pick<Parameters<typeof createAdoption>[0], 'workspaces'> &
  Pick<ReturnType<typeof buildCapsules>, 'capsules' | 'configs'>;

/** Returns the policy of a Workspace and, when an installation names a Capsule or configuration, the policy of that one. */
const policiesOf =
  ({ capsules, configs, workspaces }: Policies) =>
  ({ workspaceId, capsuleId, installConfigId }: PolicyQuery) => {
    const id = installConfigId ?? (capsuleId === undefined ? undefined : capsules.getRow(capsuleId).installConfigId);
    const base = id === undefined ? undefined : configs.findBase(id);
    return [workspaces.findPolicy(workspaceId), ...(base ? [base.policy] : [])];
  };

type AdoptionParts = Pick<Parameters<typeof createAdoption>[0], 'configs' | 'workspaces' | 'interfaces'> & {
  sources: Pick<SourcesService, 'findSnapshot'>;
  store: Pick<SourcesStore, 'findManifestDocument'>;
};

/** Builds the adoption of manifests, the only code that reads them. It turns them into configurations. */
const adoptionOf = ({ settings }: AppContext, { sources, store, ...domains }: AdoptionParts) =>
  createAdoption({
    ...domains,
    findEvidence: (snapshotId) => {
      const snapshot = sources.findSnapshot(snapshotId);
      return snapshot && { ...snapshot, document: store.findManifestDocument(snapshotId) };
    },
    baseDomain: settings.publicBaseDomain,
  });

/** Builds the issuer, by which programs sign people in. */
function buildIssuer(
  { db, clock, log, vault, settings, bound }: AppContext,
  { activity, identity, workspaces, members, tokens }: BaseDomains,
  { capsules, configs, interfaces }: Pick<ReturnType<typeof buildCapsules>, 'capsules' | 'configs' | 'interfaces'>,
) {
  const issuer = createIssuerService({
    db,
    clock,
    log,
    vault,
    activity,
    identity,
    workspaces,
    capsules,
    configs,
    isOn: settings.oidcIssuer,
    dataDir: settings.dataDir,
    findOrigin: () => bound.baseUrl,
    findPat: tokens.findDescribed,
    notePatUse: (pat) => tokens.noteUse({ kind: 'pat', ...pat }),
    findTokenGrant: interfaces.findTokenGrant,
  });
  capsules.onMoving(({ id, status }) => {
    if (status === 'destroyed') issuer.capsuleClients.retire(id);
  });
  members.onRemoved(({ workspaceId, accountId }) => issuer.grants.memberLeft(workspaceId, accountId));
  identity.onSignedOutEverywhere(issuer.grants.signedOutEverywhere);
  workspaces.onArchive((workspaceId) => issuer.grants.workspaceArchived(workspaceId));
  return issuer;
}
