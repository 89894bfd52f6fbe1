import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import { findForbidden, type InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { findBindingFault } from '#server/drivers/manifest/index';
import { actionsOfPhase, isActionAllowed, type LifecycleAction } from '#shared/install-configs/lifecycle';
import type { InstallParts } from '#shared/install-configs/parts';
import type { PolicyConfig } from '#shared/workspaces/contract';
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
    const { policy, parts } = configs.getPrivate(installConfigId);
    const policies = [workspaces.findPolicy(run.workspaceId), policy];
    const isCreate = run.type === 'plan' || run.type === 'apply';
    const disallowed = [
      ...(isCreate ? findDisallowedUses(parts, policies) : []),
      ...findDisallowedActions(actionsOfPhase(parts, isCreate ? 'post_apply' : 'pre_destroy'), policies),
    ];
    if (disallowed.length > 0) return disallowed;
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

/** The policies may have become stricter since the manifest was compiled. */
const findDisallowedUses = ({ requiredInterfaces = [] }: InstallParts, policies: readonly PolicyConfig[]): string[] => {
  const limits = policies.flatMap(({ repositoryInstallUx }) => repositoryInstallUx ?? []);
  return requiredInterfaces
    .filter(({ permissions, deliveryType }) => findBindingFault({ permissions, deliveryType }, limits))
    .map(({ key }) => `The policy does not allow how the module uses the Interface "${key}".`);
};

/** The configuration must allow each action. A Workspace without a policy for actions leaves that to the configuration. */
const findDisallowedActions = (
  actions: readonly LifecycleAction[],
  [ofWorkspace, ofConfig]: readonly PolicyConfig[],
): string[] =>
  actions
    .filter((action) => {
      const limits = [
        ofConfig?.lifecycleActions,
        ...(ofWorkspace?.lifecycleActions ? [ofWorkspace.lifecycleActions] : []),
      ];
      return limits.some((policy) => !isActionAllowed(action, policy));
    })
    .map(({ id }) => `The policy does not allow the lifecycle action "${id}".`);
