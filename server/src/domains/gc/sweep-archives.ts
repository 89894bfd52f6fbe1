import { type ArchiveFile, listArchives } from '#server/drivers/archive/index';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Number of archives per turn: one query covers all of them. */
const judgedTogether = 32;

/** Files of snapshots that nothing needs. The snapshots themselves stay, and a sync restores the files. */
export const archives: SweepPart = {
  name: 'archives',
  async sweep(context) {
    const snapshots = Map.groupBy(context.store.listSnapshots(), ({ archiveDigest }) => archiveDigest);
    const waiting: Judged[] = [];
    for await (const archive of listArchives(context.folders.archives)) {
      await context.breathe();
      const named = snapshots.get(archive.digest) ?? [];
      const usedAt = named.reduce((latest, { fetchedAt }) => Math.max(latest, fetchedAt), archive.changedAt);
      if (!isOld(usedAt, named.length > 0, context)) continue;
      waiting.push({ ...archive, snapshotIds: named.map(({ id }) => id) });
      if (waiting.length === judgedTogether) judge(waiting.splice(0), context);
    }
    judge(waiting, context);
  },
};

type Judged = ArchiveFile & { snapshotIds: string[] };

function isOld(usedAt: number, isKnown: boolean, { clock, periods }: SweepContext): boolean {
  return clock.now() - usedAt >= (isKnown ? periods.unusedMs : periods.unknownMs);
}

function judge(waiting: readonly Judged[], context: SweepContext): void {
  if (waiting.length === 0) return;
  const { trash, clock, count, store } = context;
  const needed = store.listNeededSnapshots(clock.now());
  for (const { path, snapshotIds, changedAt } of waiting) {
    if (snapshotIds.some((id) => needed.has(id))) continue;
    // A sync may be writing the same archive before its snapshot is recorded; a changed time shows it.
    if (trash.takeIf(path, (at) => at === changedAt)) count();
  }
}
