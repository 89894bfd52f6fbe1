import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { InstallPlan } from '#shared/install-plans/contract';
import { ApiError, api, OfflineError } from '../../api/client.ts';

/** Wait before the next step, in milliseconds, as the server requests it. */
const waitMs = 1_000;
const offlineMs = 3_000;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Advances an installation step by step until it needs the user. Waits while another client advances it and while the
 * server is offline. Throws the server's refusal when a step is not possible now, for example without a tool.
 */
export async function reconcileToEnd(
  installPlanId: string,
  { signal, onAnswer }: { signal: AbortSignal; onAnswer: (answer: InstallPlanAnswer) => void },
): Promise<void> {
  while (!signal.aborted) {
    const step = await takeStep(installPlanId);
    if (signal.aborted) return;
    if (step.answer) onAnswer(step.answer);
    if (step.answer && step.answer.nextAction !== 'reconcile') return;
    if (step.waitMs > 0) await pause(step.waitMs, signal);
  }
}

type Step = { answer?: InstallPlanAnswer; waitMs: number };

async function takeStep(installPlanId: string): Promise<Step> {
  const params = { installPlanId };
  try {
    const { status, body } = await api.reconcileInstallPlan({ params });
    return { answer: body, waitMs: status === 202 ? waitMs : 0 };
  } catch (error) {
    if (error instanceof OfflineError) return { waitMs: offlineMs };
    const isElsewhere =
      error instanceof ApiError && (error.code === 'reconcile_in_progress' || error.code === 'reconcile_conflict');
    if (!isElsewhere) throw error;
    return { answer: (await api.getInstallPlan({ params })).body, waitMs };
  }
}

/** Longest duration of a step of the server, plus a margin. */
const cancelAttempts = 20;

/**
 * Cancels an installation. One that is being planned ends with its Run, which is cancelled; a step in progress is
 * awaited. Throws the refusal of the server.
 */
export async function cancelInstall({ id, planRunId }: InstallPlan): Promise<InstallPlanAnswer> {
  const params = { installPlanId: id };
  if (planRunId !== undefined) await api.cancelRun({ params: { runId: planRunId }, body: {} });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await api.cancelInstallPlan({ params })).body;
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === 'reconcile_in_progress';
      if (!isBusy || attempt === cancelAttempts) throw error;
      await pause(waitMs, new AbortController().signal);
    }
  }
}
