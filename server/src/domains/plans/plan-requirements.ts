import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { InterfacesDomain } from '#server/domains/interfaces/index';
import type { PlanRun, RunsService } from '#server/domains/runs/index';
import { type RequiredInterfaceFault, requiredInterfaceFaults } from '#shared/interfaces/required';

export type RequirementFault = { code: RequiredInterfaceFault; message: string };
export type RequirementPorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  runs: Pick<RunsService, 'findFirstCreator'>;
  interfaces: Pick<InterfacesDomain, 'required'>;
};

/** Requesters that are no account. */
const automatic: readonly string[] = ['system', 'operator'];

/**
 * Binds the Interfaces that the module of a plan uses, in the transaction that ends the plan. The account is the one that planned; an
 * automatic plan is made for the account that installed. Returns why they cannot be used.
 */
export const createBindRequired =
  ({ configs, runs, interfaces }: RequirementPorts) =>
  ({ id, type, workspaceId, capsuleId, createdBy, input }: PlanRun): RequirementFault | undefined => {
    if (type !== 'plan') return undefined;
    const { parts, provenance } = configs.getPrivate(input.installConfigId);
    const { requiredInterfaces = [] } = parts;
    const installerId = provenance.installerId ?? runs.findFirstCreator(capsuleId) ?? createdBy;
    const principalId = automatic.includes(createdBy) ? installerId : createdBy;
    return interfaces.required.bind({ workspaceId, capsuleId, principalId }, requiredInterfaces, {
      actorId: createdBy,
      runId: id,
    });
  };

const maxDiagnostics = 1_000;

/** Returns the fault for which a plan has failed, from its feed; undefined for every other end. */
export const createFindRequirementFault =
  ({ runs }: { runs: Pick<RunsService, 'feed'> }) =>
  (runId: string): RequirementFault | undefined => {
    for (const { payload } of runs.feed.listKind(runId, 'diagnostic', { after: 0, limit: maxDiagnostics })) {
      const code = requiredInterfaceFaults.find((one) => one === payload['code']);
      if (code) return { code, message: String(payload['message']) };
    }
    return undefined;
  };
