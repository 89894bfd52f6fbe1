import { type Clock, isoTime } from '#server/kernel/clock';
import type { Log } from '#server/kernel/log';
import type { Fence, FenceStatus } from '#shared/fence/contract';
import type { FenceAnswer } from './fence-object.ts';
import type { FenceRecord } from './record.ts';

type Names = { location: string; serverId: string };
type State = { status: FenceStatus; record?: FenceRecord; checkedAt?: number; message?: string };

export type FenceState = ReturnType<typeof createFenceState>;

type Parts = {
  clock: Clock;
  log: Log;
  names: Names | undefined;
  /** State that the ledger knows from before the start. */
  initial: State | undefined;
  /** Time for which an answer counts; absent when it counts until the next one. */
  countsForMs?: number | undefined;
};

/** A moment on both clocks of the system. */
export type Moment = { steadyMs: number; wallMs: number };
export const momentNow = (): Moment => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** Returns the time since a moment. The steady clock may stop while the machine sleeps, and the other one can be set back. */
const ageOf = ({ steadyMs, wallMs }: Moment): number => Math.max(performance.now() - steadyMs, Date.now() - wallMs);

/** Holds the newest answer of the bucket, in memory; `names` are absent without a fence. */
export function createFenceState({ clock, log, names, initial, countsForMs }: Parts) {
  const listeners: (() => void)[] = [];
  let state: State = initial ?? { status: names ? 'unknown' : 'off' };
  let heldSince: Moment | undefined;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const isConfirmed = (): boolean =>
    countsForMs === undefined || (heldSince !== undefined && ageOf(heldSince) <= countsForMs);

  function store(answer: FenceAnswer): FenceStatus {
    const before = state.status;
    if (before === 'lost' && answer.status === 'unknown') return before;
    state =
      answer.status === 'unknown'
        ? { ...state, status: 'unknown', message: answer.message }
        : { ...answer, checkedAt: clock.now() };
    if (answer.status === before) return before;
    const fields = { status: answer.status, term: state.record?.term };
    if (answer.status === 'held') log.info(fields, 'the fence names this server');
    else log.warn(fields, answer.message);
    notify();
    return answer.status;
  }

  return {
    status: (): FenceStatus => state.status,
    message: (): string | undefined => state.message,
    /** Calls a listener when the status has changed. */
    onChange: (listener: () => void): void => void listeners.push(listener),

    /** False when no recent answer has named this server, so that another one may write. */
    isConfirmed,

    /** Stores an answer to a request that was sent at a moment. Without one that counts, the last known holder stays, and a lost fence stays lost. */
    settle(answer: FenceAnswer, sentAt = momentNow()): FenceStatus {
      const wasConfirmed = isConfirmed();
      if (!wasConfirmed) notify();
      if (answer.status === 'held') heldSince = sentAt;
      const status = store(answer);
      if (!wasConfirmed && isConfirmed()) notify();
      return status;
    },

    describe(): Fence {
      const { status, record, checkedAt, message } = state;
      return {
        status,
        ...names,
        ...(record && { holder: { serverId: record.serverId, term: record.term, takenAt: isoTime(record.takenAt) } }),
        ...(checkedAt !== undefined && { checkedAt: isoTime(checkedAt) }),
        ...(message !== undefined && { message }),
      };
    },
  };
}
