import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Capsule } from '#shared/capsules/contract';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { CommitCapsule } from '#shared/install-plans/commit-capsule';
import type { InstallPreflight } from '#shared/install-plans/contract';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { JsonObject } from '#shared/kernel/json';
import { type AuthorityPorts, commitAuthority } from './authority-commit.ts';
import { checkInstall, type InstallCheckPorts, refuseSecretArguments } from './checks.ts';
import { acceptPreflight, type PreflightFault } from './preflight.ts';

export type CommitCapsulePorts = AuthorityPorts &
  InstallCheckPorts & {
    workspaces: Pick<WorkspacesService, 'findProjectWorkspace' | 'requireLive'>;
  };

/** `secretVariables` names variables that count as secret, besides those that the module declares sensitive. */
export type DirectCapsule = CommitCapsule & { secretVariables?: string[] | undefined };
type DirectInstall = CreateInstallPlan & { preflight: InstallPreflight };

/**
 * Commits an installation in one call, for the operator: creates a Capsule from a snapshot and report that exist, under the same rules as
 * a step-by-step installation. Runs in the transaction of the caller.
 */
export function commitCapsule(ports: CommitCapsulePorts, body: DirectCapsule, actorId: string): Capsule {
  const { workspaceId, projectId, variables = {}, secretVariables = [], sourceBuild, ...named } = body;
  const { name: _name, environment: _environment, ...at } = named;
  const { sourceId: _source, sourceSnapshotId: _snapshot, compatibilityReportId: _report, ...configuration } = at;
  const { installConfigId: _config, modulePath: _module, providerBindings: _bindings, ...rest } = configuration;
  nothingLeft(rest);
  requireOwn(ports, body);
  ports.workspaces.requireLive(workspaceId);
  const directInstall = directInstallOf(ports, body);
  if (sourceBuild) refuseSecretArguments(sourceBuild, '/sourceBuild');
  const { variables: _, secretVariables: __, ...request } = directInstall;
  const accepted = acceptPreflight(ports, { workspaceId, request });
  if ('code' in accepted) throw refusalOf(accepted);
  if (accepted.report.report.level !== 'ready')
    throw failedPrecondition(
      'compatibility_not_runnable',
      'The module is not ready to be planned. Read its compatibility report.',
    );
  checkInstall(ports, { workspaceId, body: directInstall });
  return commitAuthority(ports, {
    ...accepted.facts,
    projectId,
    row: { id: newId('installPlan'), workspaceId, createdBy: actorId, request, secretVariables: [...secretVariables] },
    variables: variables as JsonObject,
  });
}

/** Requires that the records in the body exist: 404 when unknown, 403 when of another Workspace. */
function requireOwn({ workspaces, sources, inspection }: CommitCapsulePorts, body: DirectCapsule): void {
  const { workspaceId, projectId, sourceId, sourceSnapshotId, compatibilityReportId } = body;
  const named: [string, string | undefined][] = [
    ['Source', sources.findWorkspace(sourceId)],
    ['snapshot', sources.findSnapshot(sourceSnapshotId)?.workspaceId],
    ['compatibility report', inspection.findReportWorkspace(compatibilityReportId)],
    ...(projectId === undefined
      ? []
      : [['Project', workspaces.findProjectWorkspace(projectId)] as [string, undefined]]),
  ];
  for (const [what, ownerId] of named) {
    if (ownerId === undefined) throw notFound(what);
    if (ownerId !== workspaceId)
      throw new AppError('forbidden', `This ${what} belongs to another Workspace. Name one of this Workspace.`);
  }
}

/** Builds the same input as an installation with a preflight. */
function directInstallOf({ sources, inspection }: CommitCapsulePorts, body: DirectCapsule): DirectInstall {
  const { sourceId, sourceSnapshotId, compatibilityReportId, installConfigId, modulePath, providerBindings } = body;
  const source = sources.getSource(sourceId);
  const snapshot = sources.findSnapshot(sourceSnapshotId);
  const { name, url, authConnectionId } = source;
  return {
    source: {
      name,
      url,
      ref: snapshot?.ref ?? '',
      path: snapshot?.path ?? '',
      ...(authConnectionId !== undefined && { authConnectionId }),
    },
    capsule: { name: body.name, environment: body.environment },
    options: { ...(modulePath !== undefined && { modulePath }), ...(providerBindings && { providerBindings }) },
    preflight: {
      sourceId,
      sourceSnapshotId,
      compatibilityReportId,
      compatibilityCheckRunId: inspection.getReportRow(compatibilityReportId).runId,
      installConfigId,
    },
    ...(body.variables && { variables: body.variables }),
    ...(body.secretVariables && { secretVariables: body.secretVariables }),
    ...(body.sourceBuild && { initialConfiguration: { sourceBuild: body.sourceBuild } }),
  };
}

function refusalOf({ code, message }: PreflightFault): AppError {
  if (code === 'install_preflight_config_identity_changed')
    return failedPrecondition('capsule_configuration_identity_conflict', message, { diagnosticCode: code });
  const reason =
    code === 'compatibility_evidence_incomplete'
      ? 'compatibility_report_missing'
      : 'capsule_source_revision_lineage_mismatch';
  return failedPrecondition(reason, message, { diagnosticCode: code });
}
