import type { ActivityService } from '#server/domains/activity/index';
import type { ObjectStore } from '#server/drivers/object-store/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { AppError } from '#server/kernel/errors';
import type { Log } from '#server/kernel/log';
import { openGate } from '#server/kernel/work-gate';
import type { ReadOnlyReason } from '#shared/errors';
import type { Fence, FenceStatus } from '#shared/fence/contract';
import type { FenceFacts } from './fence-facts.ts';
import { createFenceObject, type FenceAnswer, lostTo } from './fence-object.ts';
import { createFenceRequests, shareCall } from './fence-requests.ts';
import { createFenceState } from './fence-state.ts';
import { createFenceWait } from './fence-wait.ts';

/** Bucket of the fence and the names of this server in it. */
export type FenceTarget = {
  facts: FenceFacts;
  store: Pick<ObjectStore, 'getBytes' | 'putBytes'>;
  bucket: string;
  prefix: string;
  installationId: string;
  serverId: string;
  /** Time for which an apply waits for an answer. */
  waitMs: number;
};

type Deps = {
  db: Pick<Db, 'write'>;
  clock: Clock;
  log: Log;
  activity: Pick<ActivityService, 'record'>;
  /** Absent without a fence in the settings. */
  target: FenceTarget | undefined;
  /** Delay before a bucket that gave no answer is asked again; set in tests. */
  retryMs?: number;
  /** Time for which one check may take; set in tests. */
  checkMs?: number;
};

const checkEveryMs = 3_600_000;

export type FenceService = ReturnType<typeof createFenceService>;

/** Keeps two servers from writing for the same installation, by an object in a bucket that names one of them. */
export function createFenceService(deps: Deps) {
  const { clock, log, target } = deps;
  const object = target && createFenceObject({ ...target, now: clock.now });
  const names = object && { location: `s3://${target.bucket}/${object.key}`, serverId: target.serverId };
  const lost = target?.facts.findLost();
  const initial = target && lost && lostTo(lost, target.serverId);
  const state = createFenceState({ clock, log, names, initial });
  const requests = createFenceRequests(deps);
  let attemptedAt: number | undefined;

  /** Reads the bucket, and renews the fence. */
  const renew = (): Promise<FenceStatus> =>
    requests.turn(async () => {
      if (!object) return state.status();
      attemptedAt = clock.now();
      return state.settle(await requests.time(object.check));
    });
  /** Renews the fence, once for concurrent callers. A lost one stays lost until a person takes it or the next start. */
  const check = shareCall(async () => (state.status() === 'lost' ? 'lost' : renew()));

  const hourly = createDeadline({
    clock,
    log,
    gate: openGate,
    findNext: () => (object && state.status() !== 'lost' ? (attemptedAt ?? 0) + checkEveryMs : undefined),
    handlePast: async (now) => {
      if ((attemptedAt ?? 0) + checkEveryMs <= now) await check();
    },
    failure: 'the fence could not be checked',
  });

  return {
    ...state,
    check,
    /** Resolves after the first check, whatever its result, and checks again every hour. */
    async start(): Promise<void> {
      await renew();
      hourly.arm();
    },
    stop: hourly.stop,

    /** True when another server may write, so that this one starts nothing. */
    isLost: (): boolean => state.status() === 'lost',

    /** 503 `ledger_read_only` with the reason `fence_lost`, when another server has the fence. */
    findWriteRefusal: (): AppError | undefined =>
      state.status() === 'lost'
        ? new AppError('ledger_read_only', state.message() ?? '', {
            details: { reason: 'fence_lost' satisfies ReadOnlyReason },
          })
        : undefined,

    awaitHeld: createFenceWait({ ...deps, ...state, check, waitMs: target?.waitMs ?? 0 }),

    /** Names this server in the fence. 409 `conflict`, 503 `feature_unavailable`, 501 without a fence. */
    async take(actorId: string): Promise<Fence> {
      if (!object)
        throw new AppError('capability_not_available', 'No fence is set. Set GROUNDCTL_FENCE_URL and start again.');
      const answer = await requests.turn(async () => {
        const result = await requests.time(object.take);
        if (result.status === 'held') state.settle(result);
        return result;
      });
      if (answer.status !== 'held') throw refusalOf(answer);
      const { term, serverId } = answer.record;
      const entry = { actorId, action: 'fence.taken', targetType: 'fence', targetId: 'fence' } as const;
      deps.db.write(() => deps.activity.record({ ...entry, metadata: { term, serverId } }));
      hourly.arm();
      return state.describe();
    },
  };
}

function refusalOf(answer: Exclude<FenceAnswer, { status: 'held' }>): AppError {
  const isConflict = answer.status === 'lost' || answer.isConflict === true;
  return new AppError(isConflict ? 'conflict' : 'feature_unavailable', answer.message);
}
