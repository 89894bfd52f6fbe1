import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { InstallPlan } from '#shared/install-plans/contract';
import { cancelPlan, reconcileToEnd } from '#shared/kernel/reconcile';
import { api, OfflineError } from '../../api/client.ts';

type Follower = { signal: AbortSignal; onAnswer: (answer: InstallPlanAnswer) => void };

/** Advances an installation until it needs the user. Waits while the server is offline. Throws a refusal. */
export function reconcileInstall(installPlanId: string, { signal, onAnswer }: Follower): Promise<InstallPlanAnswer> {
  const params = { installPlanId };
  return reconcileToEnd<InstallPlanAnswer>(
    { reconcile: () => api.reconcileInstallPlan({ params }), read: () => api.getInstallPlan({ params }) },
    { signal, onAnswer, isTransient: (error) => error instanceof OfflineError },
  );
}

/**
 * Cancels an installation. One that is being planned ends with its Run, which is cancelled; a step in progress is
 * awaited. Throws the refusal of the server.
 */
export async function cancelInstall({ id, planRunId }: InstallPlan): Promise<InstallPlanAnswer> {
  if (planRunId !== undefined) await api.cancelRun({ params: { runId: planRunId }, body: {} });
  const cancel = () => api.cancelInstallPlan({ params: { installPlanId: id } });
  return cancelPlan<InstallPlanAnswer>(cancel, { signal: new AbortController().signal });
}
