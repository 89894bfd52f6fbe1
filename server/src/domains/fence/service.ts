import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityService } from '#server/domains/activity/index';
import { type ObjectStore, StoreError } from '#server/drivers/object-store/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import type { ReadOnlyReason } from '#shared/errors';
import type { Fence, FenceStatus } from '#shared/fence/contract';
import { createFenceObject, type FenceAnswer } from './fence-object.ts';
import { createFenceState } from './fence-state.ts';

/** Bucket of the fence and the names of this server in it. */
export type FenceTarget = {
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
const usualRetryMs = 10_000;
const usualCheckMs = 30_000;

const noAnswer = 'The bucket of the fence did not answer in time. Check the network and GROUNDCTL_FENCE_URL.';

export type FenceService = ReturnType<typeof createFenceService>;

/** Keeps two servers from writing for the same installation, by an object in a bucket that names one of them. */
export function createFenceService(deps: Deps) {
  const { clock, log, target, retryMs = usualRetryMs } = deps;
  const object = target && createFenceObject({ ...target, now: clock.now });
  const names = object && { location: `s3://${target.bucket}/${object.key}`, serverId: target.serverId };
  const state = createFenceState({ clock, log, names });
  const requestIn = createRequests(deps);
  let attemptedAt: number | undefined;

  /** Asks the bucket. A lost fence stays lost until a person takes it or the server starts again. */
  const check = (): Promise<FenceStatus> =>
    requestIn.turn(async () => {
      if (!object || state.status() === 'lost') return state.status();
      attemptedAt = clock.now();
      return state.settle(await requestIn.time(object.check));
    });

  const hourly = createDeadline({
    clock,
    log,
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
      await check();
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

    /**
     * Waits until the bucket names this server. Resolves to a sentence when it names another one, or when it gave no
     * answer for the time of the setting.
     */
    async awaitHeld(signal: AbortSignal, onWait: (message: string) => void): Promise<string | undefined> {
      const until = clock.now() + (target?.waitMs ?? 0);
      let status = await check();
      if (status === 'unknown') onWait(state.message() ?? noAnswer);
      while (status === 'unknown' && clock.now() < until) {
        await sleep(retryMs, undefined, { signal });
        status = await check();
      }
      if (status === 'unknown') return `${state.message()} The apply has waited and was not started.`;
      return status === 'lost' ? state.message() : undefined;
    },

    /** Names this server in the fence. 409 `conflict`, 503 `feature_unavailable`, 501 without a fence. */
    async take(actorId: string): Promise<Fence> {
      if (!object)
        throw new AppError('capability_not_available', 'No fence is set. Set GROUNDCTL_FENCE_URL and start again.');
      const answer = await requestIn.turn(async () => {
        const result = await requestIn.time(object.take);
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
  const isConflict = answer.status === 'lost' || answer.isContested === true;
  return new AppError(isConflict ? 'conflict' : 'feature_unavailable', answer.message);
}

function createRequests({ log, checkMs = usualCheckMs }: Pick<Deps, 'log' | 'checkMs'>) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Runs one request after another, because each one continues from the answer of the one before. */
    turn<T>(work: () => Promise<T>): Promise<T> {
      const next = last.then(work, work);
      last = next.catch(() => {});
      return next;
    },

    /** Bounds the time of a request. A failure is an answer that does not count. */
    async time(request: (signal: AbortSignal) => Promise<FenceAnswer>): Promise<FenceAnswer> {
      const signal = AbortSignal.timeout(checkMs);
      try {
        return await request(signal);
      } catch (error) {
        if (error instanceof StoreError) return { status: 'unknown', message: error.message };
        if (!signal.aborted) log.error(faultFields(error), 'the fence could not be checked');
        return { status: 'unknown', message: noAnswer };
      }
    },
  };
}
