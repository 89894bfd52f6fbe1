import { AppError } from '#server/kernel/errors';

type ChangeReceipt = { requestDigest: string; previousInstallConfigId: string };
type StoredChange = { receipt: ChangeReceipt; targetInstallConfigId: string; sourceSnapshotId: string };

/**
 * Returns the facts of a change of a configuration that the same request has made before. Throws 409
 * `idempotency_conflict` when its key was used for another change.
 */
export function replayedChangeOf({ receipt, ...facts }: StoredChange, requestDigest: string) {
  if (receipt.requestDigest !== requestDigest)
    throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another change. Use a new key.');
  return { replayed: true, previousInstallConfigId: receipt.previousInstallConfigId, ...facts };
}
