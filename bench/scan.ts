import { cloneSample } from './git-baseline.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { changedFile, moduleRepository } from './module-repository.ts';
import { type Product, withProduct } from './product.ts';
import { syncOnce } from './sync.ts';

const FOLDERS = 133;
/** Largest ratio of a scan to the clone. */
const GOAL = 0.5;

type Sample = { wholeMs: number; scanMs: number };

/**
 * Syncs of a repository of many modules over `git clone --depth 1` of it from the same server: the first one of a new
 * server, and one of a commit that changes one file, each as a whole and its scan alone.
 */
export async function scan(samples: number, entry: string): Promise<CaseResult[]> {
  const measured = { first: [] as Sample[], changed: [] as Sample[] };
  const clones: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    await withProduct({ entry, files: moduleRepository(FOLDERS) }, async (product) => {
      const sample = await createSource(product);
      clones.push(await cloneSample(product.origin.url));
      measured.first.push(await sample());
      product.origin.commit(changedFile(index));
      measured.changed.push(await sample());
    });
  }
  return Object.entries(measured).flatMap(([name, list]) => [
    compare(
      `${name} sync of ${FOLDERS} modules`,
      list.map(({ wholeMs }) => wholeMs),
      clones,
    ),
    compare(
      `${name} scan of ${FOLDERS} modules`,
      list.map(({ scanMs }) => scanMs),
      clones,
      GOAL,
    ),
  ]);
}

/** Adds a Source and returns what measures one sync of it. */
async function createSource({ api, origin, workspaceId }: Product): Promise<() => Promise<Sample>> {
  const body = { workspaceId, name: 'bench', url: origin.url, defaultRef: 'main' };
  const { source } = await api.post<{ source: { id: string } }>('/sources', body);
  return async () => {
    const { ms, value } = await timed(() => syncOnce(api, source.id));
    const scanned = value.phaseTimings?.find(({ phase }) => phase === 'scan');
    if (!scanned) throw new Error('The sync records no scan.');
    return { wholeMs: ms, scanMs: scanned.durationMs };
  };
}
