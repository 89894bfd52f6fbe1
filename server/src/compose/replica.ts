import path from 'node:path';
import { syncReplica } from '../drivers/litestream/index.ts';
import { createDurablePoints, type DurablePoints, ownDisk } from '../kernel/durable-points.ts';
import type { Outbox } from '../kernel/outbox.ts';
import type { AppContext } from './app-context.ts';

/** Time in which Litestream must confirm a durable point. */
const confirmMs = 2_000;
const checkEveryMs = 10_000;

/** Builds the durable points of the ledger. A new StateVersion is one too, without a wait of the server. */
export function buildDurablePoints(
  { settings, clock, log }: AppContext,
  outbox: Pick<Outbox, 'listen'>,
): DurablePoints {
  const { replica, dataDir } = settings;
  if (!replica) return ownDisk;
  const sync = () =>
    syncReplica({ socket: replica.socket, file: path.join(dataDir, 'ledger.db'), timeoutMs: confirmMs });
  const points = createDurablePoints({ clock, log, sync, whenBehind: replica.whenBehind, checkEveryMs });
  outbox.listen(({ kind }) => {
    if (kind === 'state_version') void points.confirm();
  });
  return points;
}
