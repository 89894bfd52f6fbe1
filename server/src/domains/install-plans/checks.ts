import type { DependenciesService } from '#server/domains/dependencies/index';
import { findEndpoint, findVariableFault, type InjectedVariable } from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import { invalidArgument } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';
import type { SourceBuild } from '#shared/install-configs/source-build';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { InstallPreflight } from '#shared/install-plans/contract';
import { escapePointer, type JsonObject } from '#shared/kernel/json';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { isSecretLike } from '#shared/secret-like';
import { acceptPreflight, type PreflightPorts } from './preflight.ts';

type InstallCheckInput = { workspaceId: string; body: CreateInstallPlan };
export type InstallCheckPorts = PreflightPorts & {
  dependencies: Pick<DependenciesService, 'checkInitial'>;
  bindings: Pick<
    ProviderBindingsService,
    'refuseRepeats' | 'requireUsable' | 'requireSound' | 'requireSupported' | 'listDefaults' | 'findBaseDomain'
  >;
};

const dependenciesField = '/dependencies';
const bindingsField = '/options/providerBindings';
/** SHA-1 or SHA-256, whole. */
const fullCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Validates an installation before its first step. A plan runs code of the module, so credentials are bound only to a commit that a person
 * has reviewed: by a preflight, or by the full commit id. With a preflight, variables and bindings are checked at once; otherwise the
 * first step reports the error.
 */
export function checkInstall(ports: InstallCheckPorts, { workspaceId, body }: InstallCheckInput): void {
  const { preflight, ...request } = body;
  const bindings = body.options?.providerBindings ?? [];
  ports.bindings.refuseRepeats(bindings, bindingsField);
  checkDependencies(ports, { workspaceId, body });
  if (preflight) {
    checkWhole(ports, { workspaceId, body: { ...request, preflight } });
    return;
  }
  if (bindings.length > 0 && !fullCommit.test(body.source.ref)) {
    throw invalidArgument(
      'preflight_required',
      'Connections can only be bound to a reviewed commit. Send a preflight, or the full commit id as ref.',
      { field: bindingsField },
    );
  }
  ports.bindings.requireUsable({ workspaceId, bindings }, bindingsField);
}

/** Variables that the Dependencies of a request feed. */
export const injectedVariables = ({ dependencies = [] }: Pick<CreateInstallPlan, 'dependencies'>): InjectedVariable[] =>
  dependencies.flatMap(({ outputs }, index) =>
    Object.entries(outputs).map(([key, { to }]) => ({
      name: to,
      pointer: `${dependenciesField}/${index}/outputs/${escapePointer(key)}/to`,
    })),
  );

/** A variable has one value: that of the request, or that of a Dependency. */
function checkDependencies(ports: InstallCheckPorts, { workspaceId, body }: InstallCheckInput): void {
  const { variables = {}, dependencies = [] } = body;
  ports.dependencies.checkInitial(workspaceId, dependencies, dependenciesField);
  const twice = injectedVariables(body).find(({ name }) => Object.hasOwn(variables, name));
  if (!twice) return;
  throw invalidArgument(
    'install_variable_invalid',
    `The variable "${twice.name}" has a value in \`variables\` and a Dependency. Leave one of them out.`,
    { field: twice.pointer },
  );
}

function checkWhole(
  ports: InstallCheckPorts,
  { workspaceId, body }: { workspaceId: string; body: CreateInstallPlan & { preflight: InstallPreflight } },
): void {
  const { variables = {}, secretVariables = [], ...request } = body;
  const accepted = acceptPreflight(ports, { workspaceId, request });
  if ('code' in accepted) return;
  const { report, parts } = accepted;
  const bindings = body.options?.providerBindings ?? [];
  ports.bindings.requireSound({ workspaceId, bindings, report }, bindingsField);
  ports.bindings.requireSupported({ workspaceId, bindings, report });
  const fault = findVariableFault({
    values: variables as JsonObject,
    secret: secretVariables,
    declarations: report.report.rootModuleVariableDeclarations ?? [],
    defaults: listBoundDefaults(ports.bindings, bindings, parts),
    injected: injectedVariables(body),
    parts,
  });
  if (!fault) return;
  const { problem, pointer } = fault;
  const reason =
    problem.code === 'install_variable_required' ? 'install_variable_required' : 'install_variable_invalid';
  throw invalidArgument(reason, problem.message, { field: pointer });
}

export type BoundDefaultPorts = Pick<ProviderBindingsService, 'listDefaults' | 'findBaseDomain'>;

/** Names that bound Connections give a value: their defaults, and the address under their domain. */
export function listBoundDefaults(
  ports: BoundDefaultPorts,
  bindings: readonly ProviderBinding[],
  parts: InstallParts,
): string[] {
  const isAddressed = ports.findBaseDomain(bindings) !== undefined;
  return [...ports.listDefaults(bindings), ...(isAddressed ? addressNames(parts) : [])];
}

const addressNames = (parts: InstallParts): string[] =>
  Object.values(findEndpoint(parts)?.variables ?? {}).filter((name) => name !== undefined);

/** Throws 400 `secret_like_value` for an argument that looks like a credential, because build arguments are public. */
export function refuseSecretArguments({ commands }: SourceBuild, field: string): void {
  for (const [index, { argv }] of commands.entries()) {
    const position = argv.findIndex(isSecretLike);
    if (position >= 0)
      throw invalidArgument(
        'secret_like_value',
        'An argument of the build looks like a credential. Build arguments are public and builds receive no credentials. Remove the argument.',
        { field: `${field}/commands/${index}/argv/${position}` },
      );
  }
}
