import type { CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { InspectionService } from '#server/domains/sources/index';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { required } from '#server/kernel/required';
import type { Capsule } from '#shared/capsules/contract';
import { type ConfigContext, type DeriveConfigPorts, deriveConfig } from './derive-config.ts';

export type AuthorityPorts = DeriveConfigPorts & {
  capsules: Pick<CapsulesService, 'create'>;
  bindings: Pick<ProviderBindingsService, 'requireSound' | 'requireSupported' | 'replace'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  dependencies: Pick<DependenciesService, 'create'>;
};

/** Seals configuration, Capsule, bindings and Dependencies in the transaction of the caller. Throws 400 and 409 for invalid bindings and names. */
export function commitAuthority(
  ports: AuthorityPorts,
  state: ConfigContext & { projectId?: string | undefined },
): Capsule {
  const { row, projectId } = state;
  const reportRow = ports.inspection.getReportRow(required(state.compatibilityReportId, 'compatibility report'));
  const { report } = reportRow;
  const bindings = row.request.options?.providerBindings ?? [];
  const bound = { workspaceId: row.workspaceId, bindings, report: reportRow };
  ports.bindings.requireSound(bound, '/options/providerBindings');
  ports.bindings.requireSupported(bound);
  const capsuleId = newId('capsule');
  const config = deriveConfig(ports, state, { capsuleId, report });
  const capsule = ports.capsules.create(
    {
      id: capsuleId,
      workspaceId: row.workspaceId,
      projectId,
      ...row.request.capsule,
      sourceId: required(state.sourceId, 'Source'),
      installConfigId: config.id,
      compatibilityReportId: report.id,
      compatibilityStatus: report.level,
    },
    row.createdBy,
  );
  ports.bindings.replace(capsule, bindings);
  createDependencies(ports, row, capsule.id);
  return capsule;
}

/** Creates the requested Dependencies; one that became impossible since the request ends the installation as an invalid input. */
function createDependencies(
  { dependencies }: AuthorityPorts,
  { request, createdBy }: ConfigContext['row'],
  capsuleId: string,
): void {
  for (const dependency of request.dependencies ?? []) {
    try {
      dependencies.create(capsuleId, dependency, createdBy);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, details } = error;
      throw new AppError(code, message, { details: { ...details, diagnosticCode: 'install_variable_invalid' } });
    }
  }
}
