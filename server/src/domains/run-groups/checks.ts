import type { PlansService } from '#server/domains/plans/index';
import type { InspectionService } from '#server/domains/sources/index';
import { AppError } from '#server/kernel/errors';

type Deps = {
  plans: Pick<PlansService, 'findUncheckedModule'>;
  inspection: Pick<InspectionService, 'check'>;
};

/**
 * Writes the compatibility report of a member in the transaction that creates its Run, or throws the reason for a
 * missing report.
 */
export type CommitCheck = (capsuleId: string) => void;

/** Scans the newest snapshots of these Capsules that have no compatibility report. Nothing is written before the commit. */
export async function prepareChecks(
  { plans, inspection }: Deps,
  capsuleIds: readonly string[],
  actorId: string,
): Promise<CommitCheck> {
  const commits = new Map<string, () => unknown>();
  for (const capsuleId of capsuleIds) {
    const unchecked = plans.findUncheckedModule(capsuleId);
    if (unchecked) commits.set(capsuleId, await prepareCheck(inspection, { ...unchecked, actorId }));
  }
  return (capsuleId) => {
    // Another request, or another member of the same module, may have created the report since.
    if (plans.findUncheckedModule(capsuleId)) commits.get(capsuleId)?.();
  };
}

async function prepareCheck(
  inspection: Deps['inspection'],
  request: Parameters<InspectionService['check']>[0],
): Promise<() => unknown> {
  try {
    return await inspection.check(request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => {
      throw error;
    };
  }
}
