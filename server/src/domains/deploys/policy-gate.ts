import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { RunRecord } from '#server/domains/runs/index';
import { findForbidden, type InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { DeployInput } from './job-spec.ts';
import { findDenied } from './policy.ts';
import type { DeploysStore } from './store.ts';

/** What the policies of this moment forbid of the module of a Run, and of what an apply would make, in sentences; none when all is allowed. */
export type PolicyGate = (run: RunRecord, plannedBy?: string | null) => string[];

type Deps = {
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  store: Pick<DeploysStore, 'findDocument'>;
  /** Addresses of the providers that the operator's own mirror holds. */
  listMirrored: () => readonly string[];
};

/** A module was judged when it was checked, and a plan when it was made; policies may have become narrower since. */
export function createPolicyGate({ workspaces, configs, inspection, store, listMirrored }: Deps): PolicyGate {
  return (run, plannedBy) => {
    const { installConfigId, reportId } = run.input as DeployInput;
    const policies = [workspaces.findPolicy(run.workspaceId), configs.getPrivate(installConfigId).policy];
    // A plan can be large, and most are held against nothing.
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
