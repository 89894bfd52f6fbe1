import type { CapsulesService } from '#server/domains/capsules/index';
import type { ConfigsService } from '#server/domains/configs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { canonicalJson } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import { genericInstallConfigId } from '#shared/configs/contract';
import type { InstallParts } from '#shared/configs/parts';
import { manifestCode } from '#shared/manifest/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { settleValues } from './host-values.ts';
import type { InstallState } from './install-state.ts';
import type { PublicRequest } from './schema.ts';
import { adoptedParts, secretNames, variableContractDigest } from './variables.ts';

type Deps = {
  configs: Pick<ConfigsService, 'derive' | 'findBase'>;
  capsules: Pick<CapsulesService, 'freeSlug'>;
  workspaces: Pick<WorkspacesService, 'getHandle'>;
};

/** What a configuration is derived from: the state of an installation, or what the operator names in one call. */
export type ConfigGround = Omit<InstallState, 'row'> & {
  row: Pick<InstallState['row'], 'id' | 'workspaceId' | 'createdBy' | 'request' | 'secretVariables'>;
};

/** Seals the configuration of the Capsule that is made: the accepted proposal or the plain one, with its values. */
export function deriveConfig(deps: Deps, state: ConfigGround, report: CompatibilityReport): { id: string } {
  const { row, installConfigId = genericInstallConfigId } = state;
  const { workspaceId, request } = row;
  const start = deps.configs.findBase(installConfigId);
  const { parts } = adoptedParts(start?.parts);
  const { name } = request.capsule;
  const place = {
    name,
    slug: deps.capsules.freeSlug(workspaceId, name),
    workspaceHandle: deps.workspaces.getHandle(workspaceId),
  };
  const variables = parts ? settleValues({ parts, given: state.variables, place }) : state.variables;
  const declarations = report.rootModuleVariableDeclarations ?? [];
  const manifest = start?.provenance?.manifest;
  return deps.configs.derive({
    seed: row.id,
    workspaceId,
    name,
    modulePath: state.installModulePath ?? '.',
    provenance: {
      sourceId: state.sourceId ?? '',
      sourceSnapshotId: state.sourceSnapshotId ?? '',
      reportId: report.id,
      variableContractDigest: variableContractDigest(declarations),
      ref: request.source.ref,
      path: request.source.path,
      ...(manifest && { manifest: { ...manifest, acceptedId: installConfigId } }),
    },
    variables,
    secretVariables: secretNames({
      values: variables,
      secret: row.secretVariables,
      declarations,
      ...(parts && { parts }),
    }),
    baseId: installConfigId,
    ...partsOf(parts, request.initialConfiguration),
  });
}

/** A build that the installer sends is not mixed with another one that was reviewed. */
function partsOf(
  parts: InstallParts | undefined,
  given: PublicRequest['initialConfiguration'],
): { parts?: InstallParts } {
  if (given?.sourceBuild === undefined) return {};
  const { sourceBuild } = given;
  if (parts?.sourceBuild === undefined || canonicalJson(parts.sourceBuild) === canonicalJson(sourceBuild))
    return { parts: { ...parts, sourceBuild } };
  throw new AppError(
    'repository_install_ux_invalid',
    'The manifest proposes another build than the request. Leave one of them out.',
    { details: { diagnosticCode: manifestCode('source_build_conflict') } },
  );
}
