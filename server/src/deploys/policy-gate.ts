import type { ConfigsService } from '#server/configs/index';
import type { RunRecord } from '#server/runs/index';
import { findForbidden, type InspectionService } from '#server/sources/index';
import type { WorkspacesService } from '#server/workspaces/index';
import type { DeployInput } from './job-spec.ts';

/** What the policies of this moment forbid of the module of a plan, in sentences; none when all is allowed. */
export type PolicyGate = (run: RunRecord) => string[];

type Deps = {
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  configs: Pick<ConfigsService, 'getPrivate'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  /** Addresses of the providers that the operator's own mirror holds. */
  listMirrored: () => readonly string[];
};

/** A module was judged when it was checked; policies may have become narrower since. */
export function createPolicyGate({ workspaces, configs, inspection, listMirrored }: Deps): PolicyGate {
  return (run) => {
    const { installConfigId, reportId } = run.input as DeployInput;
    const { report } = inspection.getReportRow(reportId);
    const policies = [workspaces.findPolicy(run.workspaceId), configs.getPrivate(installConfigId).policy];
    const isMirrored = (source: string) => listMirrored().includes(source);
    return findForbidden(report, { policies, isMirrored }).map(({ message }) => message);
  };
}
