import type { CapsulesService } from '#server/domains/capsules/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { leastFreeBytes } from '#server/kernel/disk';
import type { RunErrorCode } from '#shared/errors';

/** The tool of a Run, on whatever machine. */
export type RunTool = Pick<ToolIdentity, 'name' | 'version'>;

/** Reason that a Run ends before it starts. */
export type Refusal = { code: RunErrorCode; message: string };

/** Checks a Run again when it starts. A difference found here fails the Run, not the Capsule. */
export type StartCheck = (run: CapsuleRun, tool: RunTool) => Refusal | undefined;

type Ports = {
  /** Returns the bytes that may still be written to the data folder. */
  freeBytes: () => number;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead'>;
};

/** The checks that every Run of a Capsule passes before it starts, in order. */
export function createCapsuleChecks({ freeBytes, capsules, states }: Ports): StartCheck[] {
  const checkTool: StartCheck = (run, tool) => {
    const head = states.findCurrentHead(run.capsuleId);
    if (!head || head.toolName === tool.name) return undefined;
    const message = `The state was written by ${head.toolName}, and this Run would use ${tool.name}. Use the same tool again.`;
    return { code: 'tool_version_changed', message };
  };
  const checkEpoch: StartCheck = (run) => {
    if (capsules.getRow(run.capsuleId).executionAuthorityEpoch === run.executionAuthorityEpoch) return undefined;
    const message = 'The configuration of the Capsule has changed since this plan. Plan again.';
    return { code: 'plan_superseded', message };
  };
  const checkGeneration: StartCheck = (run) => {
    if (capsules.getRow(run.capsuleId).currentStateGeneration === run.baseStateGeneration) return undefined;
    const message = 'The state of the Capsule has changed since this plan. Plan again.';
    return { code: 'state_generation_mismatch', message };
  };
  const checkDisk: StartCheck = () => {
    if (freeBytes() >= leastFreeBytes) return undefined;
    const message =
      'The disk of the data folder is nearly full, and a new state may not fit. Free some space and try again.';
    return { code: 'disk_full', message };
  };
  return [checkTool, checkEpoch, checkGeneration, checkDisk];
}
