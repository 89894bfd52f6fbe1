import type { CapsulesService } from '#server/domains/capsules/index';
import { findOversize } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import { canonicalJson, hmacHex } from '#server/kernel/digest';
import { invalidArgument } from '#server/kernel/errors';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { JsonObject } from '#shared/kernel/json';
import { checkInstall, type InstallCheckPorts, refuseSecretArguments } from './checks.ts';
import { variablesContext } from './state.ts';
import type { NewPlan } from './stepwise-plans.ts';
import type { InstallRow } from './store.ts';

export type CreateInstallPorts = InstallCheckPorts & {
  vault: Pick<Vault, 'installationKey' | 'seal'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  sources: Pick<SourcesService, 'requireReadable' | 'requireLane' | 'requireAuth'>;
  capsules: Pick<CapsulesService, 'requireFreeName'>;
};
export type CreateInstallInput = { workspaceId: string; actorId: string; body: CreateInstallPlan };

type NormalizedRequest = ReturnType<typeof normalize>;

/** Absent and empty optional parts are equal, so that a repeated request has the same digest. */
export const normalize = ({
  source,
  capsule,
  options = {},
  preflight,
  variables = {},
  secretVariables = [],
  initialConfiguration,
  dependencies = [],
  ...rest
}: CreateInstallPlan) => {
  nothingLeft(rest);
  return {
    source,
    capsule,
    options,
    ...(preflight && { preflight }),
    ...(initialConfiguration?.sourceBuild && { initialConfiguration }),
    ...(dependencies.length > 0 && {
      dependencies: dependencies.map((one) => ({ ...one, mode: one.mode ?? ('variable_injection' as const) })),
    }),
    variables,
    secretVariables: [...new Set(secretVariables)].sort(),
  };
};

/** Under a key of the installation, because a short secret could be guessed from a plain digest. */
export const requestDigestOf = ({ vault }: CreateInstallPorts, request: NormalizedRequest): string =>
  `sha256:${hmacHex(vault.installationKey('install-plan-digest'), canonicalJson(request))}`;

/** Returns the row of a new installation; its variables are sealed. */
export function newInstallRow(
  { vault }: CreateInstallPorts,
  columns: NewPlan,
  { variables, secretVariables, ...request }: NormalizedRequest,
): Omit<InstallRow, 'seq'> {
  return {
    ...columns,
    request,
    variables: vault.seal(variablesContext(columns), Buffer.from(JSON.stringify(variables))),
    secretVariables,
    phase: request.preflight ? 'creating_capsule' : 'syncing_source',
  };
}

/** Validates a request before its record is created. */
export function checkRequest(ports: CreateInstallPorts, { workspaceId, actorId, body }: CreateInstallInput): void {
  const { workspaces, sources, capsules } = ports;
  const { source, capsule, variables = {} } = body;
  workspaces.requireLive(workspaceId);
  sources.requireReadable(source.url, { actorId, workspaceId }, '/source/url');
  sources.requireLane({ ref: source.ref, path: source.path }, { ref: '/source/ref', path: '/source/path' });
  sources.requireAuth(source.authConnectionId, workspaceId, '/source/authConnectionId');
  const field = findOversize(variables as JsonObject);
  if (field !== undefined)
    throw invalidArgument(
      'install_variable_invalid',
      'A variable is larger or deeper than an installation accepts. Shorten it.',
      { field },
    );
  const sourceBuild = body.initialConfiguration?.sourceBuild;
  if (sourceBuild) refuseSecretArguments(sourceBuild, '/initialConfiguration/sourceBuild');
  checkInstall(ports, { workspaceId, body });
  capsules.requireFreeName({ workspaceId, ...capsule });
}
