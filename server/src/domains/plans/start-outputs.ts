import type { DependenciesService } from '#server/domains/dependencies/index';
import type { Refusal } from '#server/domains/execution/index';
import type { CapsuleRun, RunsService } from '#server/domains/runs/index';
import { AppError } from '#server/kernel/errors';

type Deps = {
  runs: Pick<RunsService, 'update' | 'extendInput'>;
  dependencies: Pick<DependenciesService, 'takeSnapshot'>;
};

/** Seals the Outputs of the producers for a plan that waited until they were applied; once, across all attempts. */
export function takeOutputs(run: CapsuleRun, { runs, dependencies }: Deps): Refusal | undefined {
  const { waitsFor, dependencySnapshotId } = run.input;
  if (run.type !== 'plan' || waitsFor === undefined || dependencySnapshotId !== undefined) return undefined;
  try {
    const { workspaceId, capsuleId, id: runId } = run;
    const taken = dependencies.takeSnapshot({ workspaceId, capsuleId, runId });
    if (!taken) return undefined;
    runs.extendInput(run, { dependencySnapshotId: taken.id, dependencyDigest: taken.digest });
    runs.update(runId, {}, { dependencySnapshotId: taken.id });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: 'dependency_output_missing', message: error.message };
  }
}
