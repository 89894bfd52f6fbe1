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
import { createFenceState, momentNow } from './fence-state.ts';
import { type FenceKind, fenceTextsOf } from './fence-texts.ts';
import { createFenceWait } from './fence-wait.ts';

/** Store of the fence and the names of this server in it. */
export type FenceTarget = {
  kind: FenceKind;
  facts: FenceFacts;
  store: Pick<ObjectStore, 'getBytes' | 'putBytes'>;
  /** Address of the store, to which the key of the object is added. */
  address: string;
  prefix: string;
  installationId: string;
  serverId: string;
  /** Time for which an apply waits for an answer. */
  waitMs: number;
  /** Time between two checks; an hour when absent. */
  checkEveryMs?: number;
  /** Time for which an answer counts; when absent, it counts until the next one. */
  countsForMs?: number;
  makeNonce?: () => string;
  /** Closes the store. */
  close?: () => Promise<void>;
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

const hourMs = 3_600_000;

export type FenceService = ReturnType<typeof createFenceService>;

/** Keeps two servers from writing for the same installation, by an object in a bucket that names one of them. */
export function createFenceService(deps: Deps) {
  const { clock, log, target } = deps;
  const object = target && createFenceObject({ ...target, now: clock.now });
  const names = object && { location: `${target.address}/${object.key}`, serverId: target.serverId };
  const checkEveryMs = target?.checkEveryMs ?? hourMs;
  const lost = target?.facts.findLost();
  const initial = target && lost && lostTo(lost, target.serverId);
  const state = createFenceState({ clock, log, names, initial, countsForMs: target?.countsForMs });
  const { noAnswer } = fenceTextsOf(target?.kind ?? 'bucket');
  const requests = createFenceRequests({ ...deps, noAnswer });
  let attemptedAt: number | undefined;

  /** Reads the bucket, and renews the fence. */
  const renew = (): Promise<FenceStatus> =>
    requests.turn(async () => {
      if (!object) return state.status();
      attemptedAt = clock.now();
      const sentAt = momentNow();
      return state.settle(await requests.time(object.check), sentAt);
    });
  /** Renews the fence, once for concurrent callers. A lost one stays lost until a person takes it or the next start. */
  const check = shareCall(async () => (state.status() === 'lost' ? 'lost' : renew()));

  const periodic = createDeadline({
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
    /** Resolves after the first check, whatever its result, and checks again periodically. */
    async start(): Promise<void> {
      await renew();
      periodic.arm();
    },
    async stop(): Promise<void> {
      await periodic.stop();
      await target?.close?.();
    },

    /** True when another server may write, so that this one starts nothing. */
    isLost: (): boolean => state.status() === 'lost',

    /** False when another server has the fence, or may have taken it since the last answer that counts. */
    mayWrite: (): boolean => state.status() !== 'lost' && state.isConfirmed(),

    /** 503 `ledger_read_only` with the reason `fence_lost` when another server has the fence, or `fence_unconfirmed` when it may have. */
    findWriteRefusal(): AppError | undefined {
      if (state.status() === 'lost') return readOnly('fence_lost', state.message() ?? '');
      return state.isConfirmed() ? undefined : readOnly('fence_unconfirmed', unconfirmed);
    },

    awaitHeld: createFenceWait({ ...deps, ...state, noAnswer, check, waitMs: target?.waitMs ?? 0 }),

    /** Names this server in the fence. 409 `conflict`, 503 `feature_unavailable`, 501 without a fence. */
    async take(actorId: string): Promise<Fence> {
      if (!object)
        throw new AppError('capability_not_available', 'No fence is set. Set GROUNDCTL_FENCE_URL and start again.');
      const answer = await requests.turn(async () => {
        const sentAt = momentNow();
        const result = await requests.time(object.take);
        if (result.status === 'held') state.settle(result, sentAt);
        return result;
      });
      if (answer.status !== 'held') throw refusalOf(answer);
      const { term, serverId } = answer.record;
      const entry = { actorId, action: 'fence.taken', targetType: 'fence', targetId: 'fence' } as const;
      deps.db.write(() => deps.activity.record({ ...entry, metadata: { term, serverId } }));
      periodic.arm();
      return state.describe();
    },
  };
}

const unconfirmed =
  'This server has no recent confirmation that it is the one that may write, so it changes nothing. It goes on when NATS answers again.';

const readOnly = (reason: ReadOnlyReason, message: string): AppError =>
  new AppError('ledger_read_only', message, { details: { reason } });

function refusalOf(answer: Exclude<FenceAnswer, { status: 'held' }>): AppError {
  const isConflict = answer.status === 'lost' || answer.isConflict === true;
  return new AppError(isConflict ? 'conflict' : 'feature_unavailable', answer.message);
}
