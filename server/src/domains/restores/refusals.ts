import { type CapsuleRow, findHold, heldMessage } from '#server/domains/capsules/index';
import type { LineageHolder } from '#server/domains/state-versions/index';
import { failedPrecondition } from '#server/kernel/errors';

/** Names the Capsule of a refusal, which may be one of many. */
const detailsOf = ({ id, name }: CapsuleRow) => ({ capsuleId: id, capsuleName: name });

/** Throws 409 unless another state may become current: `capsule_destroyed`, `capsule_disabled` or `capsule_held`. */
export function requireRestorable(capsule: CapsuleRow, now: number): void {
  const details = detailsOf(capsule);
  if (capsule.status === 'destroyed')
    throw failedPrecondition(
      'capsule_destroyed',
      'A Capsule of this restore is destroyed, so it cannot have a state again. Install its module again.',
      details,
    );
  if (capsule.status === 'disabled')
    throw failedPrecondition(
      'capsule_disabled',
      'A Capsule of this restore is disabled by the operator. Enable it, or restore another Capsule.',
      details,
    );
  const hold = findHold(capsule, now);
  if (hold) throw failedPrecondition('capsule_held', heldMessage(hold), details);
}

/** Throws 409 when the state of the Capsule is not the one that the restore was requested for. */
export function requireGeneration(capsule: CapsuleRow, generation: number): void {
  if (capsule.currentStateGeneration === generation) return;
  throw failedPrecondition(
    'state_generation_mismatch',
    'state_generation_mismatch: the state of a Capsule has changed since this restore was requested. Request it again.',
    detailsOf(capsule),
  );
}

/** Throws 409 `import_lineage_taken` when a Capsule has the lineage: two Capsules would change the same resources. */
export function requireFreeLineage(holder: LineageHolder | undefined, workspaceId: string): void {
  if (!holder) return;
  throw failedPrecondition(
    'import_lineage_taken',
    'A Capsule of this installation already has a state of this lineage or waits for one, so it manages these resources. Destroy or remove that Capsule, or do not import this folder.',
    holder.workspaceId === workspaceId ? { capsuleId: holder.capsuleId } : {},
  );
}

export const lineageMismatch = (capsule: CapsuleRow) =>
  failedPrecondition(
    'state_lineage_mismatch',
    'This state has another lineage than the current state of the Capsule, so it belongs to other resources. Restore a state of the same lineage.',
    detailsOf(capsule),
  );

export const formatUnsupported = (capsule: CapsuleRow) =>
  failedPrecondition(
    'state_format_unsupported',
    'This state is not in format 4, or is incomplete. Use another state.',
    detailsOf(capsule),
  );
