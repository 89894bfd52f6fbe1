import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState, type State, TofuError, type ToolName, withSerial } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import { digestOf } from '#server/kernel/digest';
import { packText } from '#server/kernel/packed';
import { differenceOf } from './difference.ts';
import { formatUnsupported, lineageMismatch, requireRestorable } from './refusals.ts';
import type { RestoreStateRow } from './store.ts';

/** A state that is to become the current one of a Capsule. */
export type StateToRestore = {
  capsuleId: string;
  /** In clear. */
  text: string;
  /** Tool that the state belongs to afterwards. */
  toolName: ToolName;
  /** Tool that wrote the state, when it is another one: the review names the conversion. */
  convertedFrom?: ToolName;
  /** Generation and StateVersion that the state comes from; absent for a file. */
  sourceGeneration?: number;
  sourceStateVersionId?: string;
  sourceSnapshotId?: string;
  /** True for the state of an apply that failed. */
  partial?: boolean;
  /** Outputs that were shown before; absent when that is not known. */
  shownOutputs?: readonly string[];
  /** True when the current state only stands for one that had not arrived, so its lineage does not count. */
  replacesLineage?: boolean;
};

/** A checked state with its new serial, packed, before it is sealed. */
export type PreparedState = Omit<RestoreStateRow, 'id' | 'runId' | 'state' | 'restoredStateVersionId'> & {
  packed: Buffer;
};

type Deps = {
  clock: Clock;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'openCurrent'>;
};

/**
 * Returns the function that checks a state against the current one of its Capsule, and gives it the next serial. It
 * throws 409 with the reason when the state cannot become current.
 */
export const createPrepare = ({ clock, capsules, states }: Deps) =>
  function prepare(input: StateToRestore): PreparedState {
    const capsule = capsules.getRow(input.capsuleId);
    requireRestorable(capsule, clock.now());
    const restored = parse(input.text, capsule);
    const stored = states.openCurrent(capsule.id);
    if (stored && stored.lineage !== restored.lineage && input.replacesLineage !== true) throw lineageMismatch(capsule);
    const current = stored && readState(stored.text);
    const text = stored ? withSerial(input.text, Math.max(stored.serial, restored.serial) + 1) : input.text;
    return {
      workspaceId: capsule.workspaceId,
      capsuleId: capsule.id,
      currentGeneration: capsule.currentStateGeneration,
      currentResourceCount: current?.resourceCount ?? 0,
      sourceGeneration: input.sourceGeneration ?? null,
      sourceStateVersionId: input.sourceStateVersionId ?? null,
      sourceSnapshotId: input.sourceSnapshotId ?? null,
      resourceCount: restored.resourceCount,
      partial: input.partial ?? false,
      toolName: input.toolName,
      convertedFrom: input.convertedFrom ?? null,
      shownOutputs: input.shownOutputs ? [...input.shownOutputs] : null,
      differences: differenceOf(current, restored),
      stateDigest: digestOf(text),
      packed: packText(text),
    };
  };

function parse(text: string, capsule: CapsuleRow): State {
  try {
    return readState(text);
  } catch (error) {
    if (error instanceof TofuError) throw formatUnsupported(capsule);
    throw error;
  }
}
