import { type ArchiveFile, listArchives } from '#server/drivers/archive/index';
import { periodsOf } from './retention.ts';
import type { GcStore } from './store.ts';

type Options = {
  store: Pick<GcStore, 'listSnapshots' | 'listNeededSnapshots'>;
  archivesDir: string;
  now: number;
  keepDays: number;
};

/** Lists the archives of known snapshots that a sweep keeps now, while the disk is not full. */
export async function* listRetainedArchives({
  store,
  archivesDir,
  now,
  keepDays,
}: Options): AsyncGenerator<ArchiveFile, void, void> {
  const snapshots = Map.groupBy(store.listSnapshots(), ({ archiveDigest }) => archiveDigest);
  const needed = store.listNeededSnapshots(now);
  const { unusedMs } = periodsOf(keepDays, false);
  for await (const archive of listArchives(archivesDir)) {
    const named = snapshots.get(archive.digest);
    if (named === undefined) continue;
    const usedAt = named.reduce((latest, { fetchedAt }) => Math.max(latest, fetchedAt), archive.changedAt);
    if (now - usedAt < unusedMs || named.some(({ id }) => needed.has(id))) yield archive;
  }
}
