import type { CapsulesService } from '#server/domains/capsules/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { InspectionService } from '#server/domains/sources/index';
import { newId } from '#server/kernel/ids';
import { required } from '#server/kernel/required';
import type { Capsule } from '#shared/capsules/contract';
import { type ConfigContext, type DeriveConfigPorts, deriveConfig } from './derive-config.ts';

export type AuthorityPorts = DeriveConfigPorts & {
  capsules: Pick<CapsulesService, 'create'>;
  bindings: Pick<ProviderBindingsService, 'requireSound' | 'requireSupported' | 'replace'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
};

/** Seals configuration, Capsule and bindings in the transaction of the caller. Throws 400 and 409 for invalid bindings and names. */
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
  return capsule;
}
