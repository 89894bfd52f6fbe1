import { cancelPlan } from '#shared/kernel/reconcile';
import { api } from './client.ts';

/** Cancels the revision plan of an attempt. When that fails, the plan is found again by `openRevisionQuery`. */
export async function cancelRevision(revisionPlanId: string): Promise<void> {
  const cancel = () => api.cancelRevisionPlan({ params: { revisionPlanId } });
  await cancelPlan(cancel, { signal: new AbortController().signal }).catch(() => undefined);
}
