import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import type { interfacesApi } from '#shared/interfaces/api';
import type { MaterializationFailure } from '#shared/interfaces/contract';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { IntentRow, IntentsStore } from './intents-store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  intents: Pick<IntentsStore, 'find' | 'update' | 'listFailed'>;
  /** Sets the timer of the next attempt after the commit. */
  arm: () => void;
};
type RetryInput = BodyOf<typeof interfacesApi.retryMaterialization>;

/** The Interfaces that could not be made after an apply. */
export function createFailures({ db, clock, outbox, activity, capsules, intents, arm }: Deps) {
  function getFailure(workspaceId: string, intentId: string): IntentRow {
    const intent = intents.find(intentId);
    if (intent?.workspaceId !== workspaceId || intent.status !== 'failed') throw notFound('materialization failure');
    return intent;
  }

  return {
    list: (workspaceId: string, limit: number): MaterializationFailure[] =>
      intents.listFailed(workspaceId, limit).map(failureOf),

    /** Starts a failure over at the item that failed. Throws 404, and 409 `failure_fence_moved`. */
    retry(workspaceId: string, intentId: string, { input, actorId }: { input: RetryInput; actorId: string }) {
      const { failureDigest, stateVersionId, stateGeneration, ...rest } = input;
      nothingLeft(rest);
      return db.write(() => {
        const intent = getFailure(workspaceId, intentId);
        const { currentStateVersionId, currentStateGeneration } = capsules.getRow(intent.capsuleId);
        const isSame =
          failureOf(intent).failureDigest === failureDigest &&
          intent.stateVersionId === stateVersionId &&
          intent.stateGeneration === stateGeneration &&
          currentStateVersionId === stateVersionId &&
          currentStateGeneration === stateGeneration;
        const dueAt = clock.now();
        const set = { status: 'pending' as const, attempts: 0, dueAt, failedAt: null };
        if (!isSame || !intents.update(intent, set))
          throw failedPrecondition(
            'failure_fence_moved',
            'The failure or the state of its Capsule has changed since you read it. Reload and try again.',
          );
        const { capsuleId } = intent;
        const record = {
          action: 'interface_materialization.retried',
          targetType: 'interface',
          targetId: intentId,
        } as const;
        activity.record({ workspaceId, actorId, ...record, metadata: { capsuleId } });
        outbox.push({ workspaceId, kind: 'capsule', recordId: capsuleId });
        arm();
        return retryOf({ ...intent, ...set });
      });
    },
  };
}

function failureOf(intent: IntentRow): MaterializationFailure {
  const { id, capsuleId, stateVersionId, outputId, stateGeneration, blueprintsDigest, items, nextItemIndex } = intent;
  const failure = {
    id,
    capsuleId,
    stateVersionId,
    outputId,
    stateGeneration,
    blueprintsDigest,
    totalItems: items.length,
    nextItemIndex,
    attempts: intent.attempts,
    error: {
      code: intent.errorCode ?? 'ledger_unavailable',
      detailDigest: intent.errorDigest ?? jsonDigest(null),
      recordedAt: isoTime(intent.errorAt ?? intent.createdAt),
    },
  };
  return { ...failure, deadLetteredAt: isoTime(intent.failedAt ?? 0), failureDigest: jsonDigest(failure) };
}

const retryOf = (intent: IntentRow) => ({
  id: intent.id,
  capsuleId: intent.capsuleId,
  stateVersionId: intent.stateVersionId,
  stateGeneration: intent.stateGeneration,
  blueprintsDigest: intent.blueprintsDigest,
  status: 'pending' as const,
  nextItemIndex: intent.nextItemIndex,
  totalItems: intent.items.length,
  nextRetryAt: isoTime(intent.dueAt ?? intent.createdAt),
});
