import { createApplySecrets } from '#server/domains/applies/index';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { textsIn } from '#server/domains/execution/index';
import { isApplyRun, type RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';

type Deps = Parameters<typeof createApplySecrets>[0] & {
  runs: Pick<RunsService, 'findRecord'>;
  states: Pick<StateVersionsService, 'findHead'>;
};

/**
 * Returns the function that finds the secret texts of a state: those of the Capsule's configuration, and those of the
 * apply that made the state.
 */
export function createRestoreSecrets(deps: Deps) {
  const { secretsOf } = createApplySecrets(deps);
  return (
    { installConfigId }: CapsuleRow,
    { stateVersionId, runId }: { stateVersionId: string | null; runId: string | null },
  ): string[] => {
    const { variables, secretVariables } = deps.configs.getPrivate(installConfigId);
    const own = textsIn(secretVariables.map((name) => variables[name]));
    const head = stateVersionId === null ? undefined : deps.states.findHead(stateVersionId);
    const writerId = head?.createdByRunId ?? runId;
    const writer = writerId === null ? undefined : deps.runs.findRecord(writerId);
    return [...own, ...(writer && isApplyRun(writer) ? secretsOf(writer) : [])];
  };
}
