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
};

/** Holds the newest answer of the bucket, in memory; `names` are absent without a fence. */
export function createFenceState({ clock, log, names, initial }: Parts) {
  const listeners: (() => void)[] = [];
  let state: State = initial ?? { status: names ? 'unknown' : 'off' };

  return {
    status: (): FenceStatus => state.status,
    message: (): string | undefined => state.message,
    /** Calls a listener when the status has changed. */
    onChange: (listener: () => void): void => void listeners.push(listener),

    /** Stores an answer. Without one that counts, the last known holder stays, and a lost fence stays lost. */
    settle(answer: FenceAnswer): FenceStatus {
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
      for (const listener of listeners) listener();
      return answer.status;
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
