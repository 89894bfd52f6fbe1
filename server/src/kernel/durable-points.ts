import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export type DurablePoints = {
  /**
   * Resolves when everything that was committed before the call is also in the replica, or when that was not confirmed
   * in time. False when the caller must not answer as if it were. Never rejects.
   */
  confirm(): Promise<boolean>;
  /** Time since which the replica is behind; undefined while it confirms everything, and without a replica. */
  behindSince(): number | undefined;
  /** Makes points regularly, so that a replica that stops or comes back is noticed while nothing requests one. */
  start(): void;
  stop(): void;
  /** False without a replica. */
  readonly isOn: boolean;
};

/** Durable points of a server without a replica: its own disk is enough. */
export const ownDisk: DurablePoints = {
  confirm: async () => true,
  behindSince: () => undefined,
  start() {},
  stop() {},
  isOn: false,
};

type Deps = {
  clock: Clock;
  log: Log;
  /** Resolves to true when the replica has everything that was committed before the call. */
  sync: () => Promise<boolean>;
  whenBehind: 'refuse' | 'continue';
  checkEveryMs: number;
};

const behind =
  'Litestream does not confirm that the replica has the newest changes. A loss of this machine would lose them. Check its service and GROUNDCTL_LITESTREAM_SOCKET.';

/**
 * Makes durable points of the ledger, one at a time. A point that is requested while another one is made joins the next
 * one, because the current one may have started before the commit of the caller.
 */
export function createDurablePoints({ clock, log, sync, whenBehind, checkEveryMs }: Deps): DurablePoints {
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  let current: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;

  async function make(): Promise<boolean> {
    const isConfirmed = await sync().catch(() => false);
    if (isConfirmed && since !== undefined) log.info({}, 'the replica has every change again');
    if (!isConfirmed && since === undefined) log.warn({ replica_behind: true }, behind);
    since = isConfirmed ? undefined : (since ?? clock.now());
    return isConfirmed || whenBehind === 'continue';
  }

  function begin(): Promise<boolean> {
    const point = make().finally(() => {
      if (current === point) current = undefined;
    });
    current = point;
    return point;
  }

  function confirm(): Promise<boolean> {
    if (!current) return begin();
    next ??= current.then(() => {
      next = undefined;
      return begin();
    });
    return next;
  }

  return {
    isOn: true,
    behindSince: () => since,
    confirm,
    start() {
      timer ??= setInterval(() => void confirm(), checkEveryMs).unref();
    },
    stop: () => clearInterval(timer),
  };
}
