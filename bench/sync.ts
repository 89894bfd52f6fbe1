import type { Api, Run } from './api.ts';
import { cloneSample, listSample } from './git-baseline.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { withProduct } from './product.ts';

const FILES = 5_000;

/**
 * Source sync against Git itself on the same origin of 5,000 files: the first sync and one of a new commit over
 * `git clone --depth 1`, a sync that finds nothing new over `git ls-remote`.
 */
export function sync(samples: number, entry: string): Promise<CaseResult[]> {
  return withProduct({ entry, files: FILES }, async ({ api, origin, workspaceId }) => {
    const times = { first: [] as number[], changed: [] as number[], same: [] as number[] };
    const bare = { clone: [] as number[], list: [] as number[] };
    for (let index = 0; index < samples; index += 1) {
      const body = { workspaceId, name: `bench-${index}`, url: origin.url, defaultRef: 'main' };
      const { source } = await api.post<{ source: { id: string } }>('/sources', body);
      bare.clone.push(await cloneSample(origin.url));
      times.first.push((await timed(() => syncOnce(api, source.id))).ms);
      origin.commit();
      times.changed.push((await timed(() => syncOnce(api, source.id))).ms);
      bare.list.push(await listSample(origin.url));
      times.same.push((await timed(() => syncOnce(api, source.id))).ms);
    }
    return [
      compare('first sync', times.first, bare.clone, 1),
      compare('sync of a new commit', times.changed, bare.clone, 1),
      compare('sync with nothing new', times.same, bare.list, 1.5),
    ];
  });
}

type SyncedRun = { sourceSnapshotId: string; phaseTimings?: { phase: string; durationMs: number }[] };

/** Runs one sync until its snapshot exists and its modules are scanned. */
export async function syncOnce(api: Api, sourceId: string): Promise<SyncedRun> {
  const { run } = await api.post<{ run: Run }>(`/sources/${sourceId}/sync`);
  const status = await api.waitForRun(run.id);
  if (status !== 'succeeded') throw new Error(`The sync ended ${status}: its time says nothing.`);
  const { run: done } = await api.get<{ run: SyncedRun }>(`/runs/${run.id}`);
  const path = `/sources/${sourceId}/snapshots/${done.sourceSnapshotId}/install-modules`;
  const scan = await api.get<{ status: string }>(path);
  if (scan.status !== 'ready') throw new Error('The scan found no usable module: its time says nothing.');
  return done;
}
