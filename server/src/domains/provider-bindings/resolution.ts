import type { ConnectionsService } from '#server/domains/connections/index';
import { type ReportRow, type RootEvidence, requirementsOf } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { supportsProviderArguments } from '#server/runner/index';
import { recipeFits } from '#shared/connections/provider-source';
import { isSameSource } from '#shared/kernel/provider-source';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { type BindingResolution, type ConnectionLookup, type CredentialPolicy, resolveBindings } from './resolve.ts';

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

type ResolutionPorts = {
  connections: Pick<ConnectionsService, 'findUnusable' | 'describe' | 'materialize' | 'listRecipes'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
};

export type BindingResolver = ReturnType<typeof createBindingResolver>;

/** Resolves the provider configurations of a module against the Connections that its Workspace may use. */
export function createBindingResolver(ports: ResolutionPorts) {
  const { policiesOf, needsConnection, findIn } = createLookups(ports);

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

  return {
    resolve,
    findMissing,
    /** Returns the unbound providers that require a Connection. */
    findUnbound: (workspaceId: string, requirements: readonly ProviderRequirement[]): ProviderResolution[] =>
      findMissing({ workspaceId, requirements, bindings: [] }),
  };
}

/** The policies and Connections of a Workspace, as the resolution of its bindings reads them. */
function createLookups({ connections, workspaces }: ResolutionPorts) {
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

  return { policiesOf, needsConnection, findIn };
}
