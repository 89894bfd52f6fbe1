import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { Log } from '#server/kernel/log';
import { EndedByRestore } from '#shared/installation/contract';
import type { Pause } from './pause.ts';

/** Ends records of one kind and returns their number. Each runs in the transaction of the first start. */
export type RestoreEnds = { readonly [K in keyof EndedByRestore]: () => number };

type Deps = {
  id: string;
  db: Pick<Db, 'write'>;
  clock: Clock;
  log: Log;
  activity: Pick<ActivityService, 'record'>;
  pause: Pause;
  ends: RestoreEnds;
};

/**
 * Returns the first start of a restored installation. The ledger is the past: what was queued or running there does not
 * continue, and what gave access then may have been revoked since. Everything ends in one transaction, once.
 */
export function createFirstStart({ id, db, clock, log, activity, pause, ends }: Deps) {
  return (): void => {
    const { restored } = pause;
    if (!restored || !pause.isUnprepared()) return;
    db.write(() => {
      // A Run that was running commits its state under the authority that it has, so Runs end before plans.
      const ended = Object.fromEntries(EndedByRestore.keyof().options.map((name) => [name, ends[name]()]));
      pause.begin({
        restoredAt: restored.restoredAt,
        pausedAt: isoTime(clock.now()),
        ended: EndedByRestore.parse(ended),
      });
      activity.record({
        action: 'installation.restored',
        targetType: 'installation',
        targetId: id,
        metadata: { ...restored, ...ended },
      });
      failpoint('installation.pausing');
    });
    failpoint('installation.paused');
    log.warn(
      { backupCreatedAt: restored.backupCreatedAt },
      'this installation was restored from a backup and is paused',
    );
  };
}
