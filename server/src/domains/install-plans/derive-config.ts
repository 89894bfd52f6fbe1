import type { CapsulesService } from '#server/domains/capsules/index';
import {
  type Adoption,
  type Hostnames,
  type InstallConfigsService,
  secretNames,
  settleValues,
  variableContractDigest,
} from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { canonicalJson } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import { required } from '#server/kernel/required';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import { manifestCode } from '#shared/manifest/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import type { PublicRequest } from './schema.ts';
import type { InstallState } from './state.ts';

export type DeriveConfigPorts = {
  configs: Pick<InstallConfigsService, 'derive'>;
  adoption: Pick<Adoption, 'getStart'>;
  capsules: Pick<CapsulesService, 'freeSlug'>;
  workspaces: Pick<WorkspacesService, 'getHandle'>;
  hostnames: Pick<Hostnames, 'rulesFor'>;
  bindings: Pick<ProviderBindingsService, 'findBaseDomain'>;
};

/** Input for deriving a configuration: the state of an installation, or the records that the operator names in one call. */
export type ConfigContext = Omit<InstallState, 'row'> & {
  row: Pick<InstallState['row'], 'id' | 'workspaceId' | 'createdBy' | 'request' | 'secretVariables'>;
};
/** The Capsule that the configuration is derived for. */
type Target = { capsuleId: string; report: CompatibilityReport };

/** Seals the configuration of a new Capsule: the accepted proposal or the base, with its values. */
export function deriveConfig(
  ports: DeriveConfigPorts,
  state: ConfigContext,
  { capsuleId, report }: Target,
): { id: string } {
  const { row } = state;
  const startId = state.installConfigId ?? state.installConfigBaseId ?? genericInstallConfigId;
  const { workspaceId, request } = row;
  const { parts, fixed, provenance } = ports.adoption.getStart(startId, report);
  const { name } = request.capsule;
  const location = {
    name,
    slug: ports.capsules.freeSlug(workspaceId, name),
    workspaceHandle: ports.workspaces.getHandle(workspaceId),
  };
  const ids = { workspace_id: workspaceId, capsule_id: capsuleId };
  const declarations = report.rootModuleVariableDeclarations ?? [];
  const contexts = Object.entries(parts.installContextVariableMapping ?? {}).flatMap(([name, source]) =>
    declarations.some((one) => one.name === name) ? [[name, ids[source]] as const] : [],
  );
  const bound = ports.bindings.findBaseDomain(request.options?.providerBindings ?? []);
  const hostnames = ports.hostnames.rulesFor({ id: capsuleId, workspaceId }, bound);
  const settled = settleValues({ parts, provided: state.variables, location, hostnames });
  const variables = {
    ...settled.variables,
    ...fixed,
    ...Object.fromEntries(contexts),
  };
  const manifest = provenance?.manifest;
  return ports.configs.derive({
    seed: row.id,
    workspaceId,
    name,
    modulePath: state.installModulePath ?? '.',
    provenance: {
      sourceId: required(state.sourceId, 'Source'),
      sourceSnapshotId: required(state.sourceSnapshotId, 'snapshot'),
      reportId: report.id,
      installerId: row.createdBy,
      variableContractDigest: variableContractDigest(declarations),
      ref: request.source.ref,
      path: request.source.path,
      ...(manifest && { manifest: { ...manifest, acceptedId: startId } }),
    },
    variables,
    secretVariables: secretNames({
      values: variables,
      secret: row.secretVariables,
      declarations,
      parts,
    }),
    baseId: startId,
    parts: withBuild(settled.parts, request.initialConfiguration),
  });
}

/** Refuses a build of the request where the manifest or the operator proposes another build that was reviewed. */
function withBuild(parts: InstallParts, initialConfiguration: PublicRequest['initialConfiguration']): InstallParts {
  if (initialConfiguration?.sourceBuild === undefined) return parts;
  const { sourceBuild } = initialConfiguration;
  if (parts.sourceBuild === undefined || canonicalJson(parts.sourceBuild) === canonicalJson(sourceBuild))
    return { ...parts, sourceBuild };
  throw new AppError(
    'repository_install_ux_invalid',
    'The manifest or the operator proposes another build than the request. Leave the build of the request out.',
    { details: { diagnosticCode: manifestCode('source_build_conflict') } },
  );
}
