import type { ActivityService } from '#server/domains/activity/index';
import { type ApplyRun, auditItem, failureItem, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { LifecycleAction, LifecycleResult } from '#shared/install-configs/lifecycle';
import type { FeedItem } from '#shared/runs/feed';
import type { ActionEvidence } from './schema.ts';
import type { ActionKey, LifecycleStore } from './store.ts';

export type ActionEnd = {
  result: LifecycleResult;
  /** Reason of a result other than success, for a person. */
  message?: string;
  /** False when the action may still have an effect, or its end was lost; default true. */
  isEndKnown?: boolean;
  evidence?: ActionEvidence;
};

/** An action of a Run, with its place in the list. */
export type RunAction = { run: ApplyRun; action: LifecycleAction; key: ActionKey };

/** Reports whether the Run continues after this result. */
export const letsContinue = (result: LifecycleResult): boolean => result === 'succeeded' || result === 'not_applicable';

type Deps = {
  db: Db;
  clock: Clock;
  store: LifecycleStore;
  runs: Pick<RunsService, 'append'>;
  activity: Pick<ActivityService, 'record'>;
};

/** Records the result of an action with its history, once. */
export const createActionEnd =
  ({ db, clock, store, runs, activity }: Deps) =>
  ({ run, action, key }: RunAction, { result, message, isEndKnown = true, evidence = {} }: ActionEnd): void =>
    db.write(() => {
      const now = clock.now();
      const row = store.find(key);
      if (row === undefined || row.result !== null) return;
      store.update(key, { result, isEndKnown, finishedAt: now, evidence: { ...row.evidence, ...evidence } });
      failpoint('lifecycle.result');
      const { id: actionId, phase, executor } = action;
      runs.append(run.id, [
        ...(evidence.healthUrl === undefined
          ? []
          : [lineItem(now, `Action ${actionId} is healthy: ${evidence.healthUrl}`)]),
        ...(letsContinue(result)
          ? []
          : [failureItem(now, 'capsule_lifecycle_action_failed', failureText(actionId, result, message))]),
        auditItem(`lifecycle_action.${phase}.${result}`, now, { data: { actionId } }),
      ]);
      activity.record({
        workspaceId: run.workspaceId,
        action: `release_activation.${result}`,
        targetType: 'capsule',
        targetId: run.capsuleId,
        runId: run.id,
        metadata: { actionId, phase, executor },
      });
    });

/** A line of the log about an action. */
export const lineItem = (at: number, text: string): FeedItem => ({
  kind: 'log',
  at,
  payload: { phase: 'lifecycle', stream: 'system', level: 'info', text },
});

const verbs: Partial<Record<LifecycleResult, string>> = {
  pending: 'is still pending, and a Run does not wait for it.',
  skipped: 'was skipped.',
};

function failureText(actionId: string, result: LifecycleResult, message: string | undefined): string {
  const verb = verbs[result] ?? 'did not succeed.';
  return `Action "${actionId}" ${verb}${message === undefined ? '' : ` ${message}`}`;
}
