import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { InterfacesDomain } from '#server/domains/interfaces/index';
import type { ApplyRun, RunsService } from '#server/domains/runs/index';
import type { Committed } from './apply-commit.ts';

export type InterfacePorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  runs: Pick<RunsService, 'findFirstCreator'>;
  interfaces: Pick<InterfacesDomain, 'recordApply'>;
};

/** Records which Interfaces an apply that succeeded has to make, in the transaction that ends it. */
export const createInterfaceRecorder =
  ({ configs, runs, interfaces }: InterfacePorts) =>
  (run: ApplyRun, { stateVersionId, outputId, generation }: Committed): void => {
    const { parts, provenance } = configs.getPrivate(run.input.installConfigId);
    interfaces.recordApply({
      workspaceId: run.workspaceId,
      capsuleId: run.capsuleId,
      runId: run.id,
      stateVersionId,
      outputId,
      stateGeneration: generation,
      principalId: provenance.installerId ?? runs.findFirstCreator(run.capsuleId) ?? run.createdBy,
      blueprints: parts.interfaceBlueprints ?? [],
    });
  };
