import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import { findForbidden, type InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { findDenied } from './policy.ts';
import type { PlansStore } from './store.ts';

/**
 * Returns the violations of the current policies by the module of a Run, and by the planned resources, as sentences; none when all is
 * allowed.
 */
export type PolicyGate = (run: CapsuleRun, plannedBy?: string | null) => string[];

type Deps = {
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  store: Pick<PlansStore, 'findDocument'>;
  /** Addresses of the providers in the operator's own mirror. */
  listMirrored: () => readonly string[];
};

/** A module was validated when it was checked, and a plan when it was created; policies may have become stricter since. */
export function createPolicyGate({ workspaces, configs, inspection, store, listMirrored }: Deps): PolicyGate {
  return (run, plannedBy) => {
    const { installConfigId, reportId } = run.input;
    const policies = [workspaces.findPolicy(run.workspaceId), configs.getPrivate(installConfigId).policy];
    // A plan can be large, and most have no policy to check against.
    if (policies.every((policy) => Object.keys(policy).length === 0)) return [];
    const { report } = inspection.getReportRow(reportId);
    const isMirrored = (source: string) => listMirrored().includes(source);
    const planned = plannedBy ? store.findDocument(plannedBy) : undefined;
    return [
      ...findForbidden(report, { policies, isMirrored }).map(({ message }) => message),
      ...findDenied(policies, planned?.resources ?? []),
    ];
  };
}
