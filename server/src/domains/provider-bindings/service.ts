import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { ConnectionsService } from '#server/domains/connections/index';
import { type ReportRow, type RootEvidence, requirementsOf } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { type Cursors, type PageQuery, readPage } from '#server/kernel/page';
import { supportsProviderArguments } from '#server/runner/index';
import { recipeFits } from '#shared/connections/provider-source';
import { isSameSource } from '#shared/kernel/provider-source';
import type { BoundCapsule } from '#shared/provider-bindings/api';
import type { ProviderBinding, ProviderBindingSet } from '#shared/provider-bindings/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { refuseRepeats, refuseStrangers } from './match.ts';
import { blockReasonMessage } from './messages.ts';
import { type BindingResolution, type ConnectionLookup, type CredentialPolicy, resolveBindings } from './resolve.ts';
import type { ProviderBindingsStore, SetRow } from './store.ts';
import { requireSupported } from './supported.ts';

export type ProviderBindingsService = ReturnType<typeof createProviderBindingsService>;
type Tool = Parameters<typeof supportsProviderArguments>[0];
/** Input for resolving the provider bindings of a module. */
export type ModuleBindingsInput = {
  workspaceId: string;
  report: Pick<ReportRow, 'report' | 'rootView'>;
  bindings: readonly ProviderBinding[];
  tool: Tool;
  /** Names of root variables that have a value of their own. */
  assigned: readonly string[];
  /** Policy of the InstallConfig; the Workspace's policy always applies as well. */
  policy?: PolicyConfig | undefined;
};

type BindingCheckInput = Pick<ModuleBindingsInput, 'workspaceId' | 'bindings' | 'report'>;

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: ProviderBindingsStore;
  connections: Pick<ConnectionsService, 'findUnusable' | 'describe' | 'materialize' | 'listRecipes'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
};

/** Manages which Connection serves each provider configuration of a Capsule's module. */
export function createProviderBindingsService({ db, clock, cursors, store, connections, capsules, workspaces }: Deps) {
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
  const policiesOf = (workspaceId: string, policy: PolicyConfig | undefined): CredentialPolicy[] =>
    [workspaces.findPolicy(workspaceId), policy].flatMap((one) => one?.providerCredentials ?? []);

  /** Reports whether a policy names the provider, or a recipe exists for it. */
  const needsConnection = (policies: readonly CredentialPolicy[]) => {
    const recipes = connections.listRecipes().filter(({ terraformSource }) => terraformSource !== '*');
    return (source: string): boolean =>
      policies.some(({ requiredProviders }) => requiredProviders?.some((name) => isSameSource(name, source))) ||
      recipes.some((recipe) => recipeFits(recipe, source));
  };

  const findIn =
    (workspaceId: string) =>
    (connectionId: string, providerSource: string): ConnectionLookup => {
      const unusable = connections.findUnusable(connectionId, workspaceId);
      const description = connections.describe(connectionId);
      if (unusable !== undefined || !description) return { unusable: unusable ?? 'missing' };
      return { description, materials: connections.materialize(connectionId, providerSource) };
    };

  function resolve({
    workspaceId,
    report,
    bindings,
    tool,
    assigned,
    policy,
  }: ModuleBindingsInput): BindingResolution & {
    requirements: ProviderRequirement[];
  } {
    const requirements = requirementsOf(report);
    const policies = policiesOf(workspaceId, policy);
    const { ownProviderBlocks } = report.rootView as RootEvidence;
    const isMany = ({ providerName, alias }: ProviderRequirement) =>
      ownProviderBlocks.some(
        (block) => block.moduleLocalName === providerName && block.childAlias === alias && block.forEach,
      );
    const arranged = resolveBindings({
      requirements,
      bindings,
      policies,
      find: findIn(workspaceId),
      isRequired: needsConnection(policies),
      takesArguments: (requirement) => supportsProviderArguments(tool) && !isMany(requirement),
      variables: { declared: (report.report.rootModuleVariableDeclarations ?? []).map(({ name }) => name), assigned },
    });
    return { ...arranged, requirements };
  }

  /** Returns the resolutions that are blocked regardless of tool and variables. */
  function findMissing({
    workspaceId,
    requirements,
    bindings,
  }: Pick<ModuleBindingsInput, 'workspaceId' | 'bindings'> & { requirements: readonly ProviderRequirement[] }) {
    const policies = policiesOf(workspaceId, undefined);
    return resolveBindings({
      requirements,
      bindings,
      policies,
      find: findIn(workspaceId),
      isRequired: needsConnection(policies),
      takesArguments: () => true,
      variables: { declared: [], assigned: [] },
    }).resolutions.filter(({ status }) => status === 'blocked_missing_connection');
  }

  /**
   * Throws 400 `provider_binding_duplicate`, and `provider_binding_mismatch` for a tuple that the module does not have
   * or a Connection for another provider. Details name the field and the reason, never a submitted value.
   */
  function requireFitting({ workspaceId, bindings, report }: BindingCheckInput, field: string): void {
    refuseRepeats(bindings, field);
    refuseStrangers(bindings, requirementsOf(report), field);
    for (const [index, binding] of bindings.entries()) {
      const why = connections.findUnusable(binding.connectionId, workspaceId);
      if (why === 'missing' || why === 'foreign' || why === 'git' || isFor(binding)) continue;
      throw invalidArgument(
        'provider_binding_mismatch',
        'The Connection is for another provider. Bind one that is made for this provider.',
        { field: `${field}/${index}/connectionId`, why: 'connection_provider' },
      );
    }
  }

  /** Checks that these bindings may be saved: as `requireFitting`, and 409 `provider_connection_not_ready`. */
  function requireSound(input: BindingCheckInput, field: string): void {
    requireFitting(input, field);
    requireUsable(input, field);
  }

  /** Reports whether the Connection is for the provider, by name or by a recipe that serves several. */
  function isFor({ provider, connectionId }: ProviderBinding): boolean {
    const description = connections.describe(connectionId);
    if (!description) return false;
    const { providerSource, terraformSource } = description;
    return (
      isSameSource(providerSource, provider) || (terraformSource !== '*' && recipeFits({ terraformSource }, provider))
    );
  }

  function requireUsable(
    { workspaceId, bindings }: Pick<ModuleBindingsInput, 'workspaceId' | 'bindings'>,
    field: string,
  ): void {
    for (const [index, binding] of bindings.entries()) {
      const why = connections.findUnusable(binding.connectionId, workspaceId);
      if (why === undefined) continue;
      throw failedPrecondition(
        'provider_connection_not_ready',
        blockReasonMessage(`connection_${why}`, 'this provider'),
        {
          field: `${field}/${index}/connectionId`,
          why,
        },
      );
    }
  }

  return {
    listBindings,
    findSet: (capsuleId: string): ProviderBindingSet | null => {
      const row = store.findSet(capsuleId);
      return row ? setOf(row) : null;
    },
    resolve,
    requireFitting,
    requireSound,
    refuseRepeats,
    requireUsable,

    /** Returns the unbound providers that require a Connection. */
    findUnbound: (workspaceId: string, requirements: readonly ProviderRequirement[]): ProviderResolution[] =>
      findMissing({ workspaceId, requirements, bindings: [] }),

    /**
     * Throws 409 for a Connection that cannot be used, and for a provider that needs a Connection and has none. Called
     * before anything is created.
     */
    requireSupported: ({ workspaceId, bindings, report }: BindingCheckInput): void =>
      requireSupported(findMissing({ workspaceId, bindings, requirements: requirementsOf(report) })),

    /** Returns the names of variables that these bindings set by default. */
    listDefaults: (bindings: readonly ProviderBinding[]): string[] =>
      bindings.flatMap(({ connectionId }) => connections.describe(connectionId)?.moduleInputNames ?? []),

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
      query: PageQuery,
    ): { capsules: BoundCapsule[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `bound-capsules:${at.connectionId}`,
        fetch: (after, limit) => store.listSetsOf(at, String(after?.[0] ?? ''), limit),
        positionOf: ({ id }) => [id],
      });
      const capsuleOf = ({ id, capsuleId }: SetRow): BoundCapsule => {
        const { name, environment, status } = capsules.getRow(capsuleId);
        const bindings = store.listBindings(id).filter(({ connectionId }) => connectionId === at.connectionId);
        return { capsuleId, name, environment, status, bindings };
      };
      return { capsules: rows.map(capsuleOf), ...next };
    },
    /** Lists the Capsules that a Connection is bound to. */
    listCapsulesOf: store.listCapsulesOf,
  };
}
