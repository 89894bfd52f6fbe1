import path from 'node:path';
import type { Clock } from '#server/kernel/clock';
import type { Periods } from './retention.ts';
import type { GcStore } from './store.ts';
import type { Trash } from './trash.ts';

/** Everything below the data folder that a sweep looks at. */
export type GcFolders = {
  dataDir: string;
  runs: string;
  capsules: string;
  archives: string;
  providers: string;
  git: string;
};

export const gcFoldersOf = (dataDir: string): GcFolders => ({
  dataDir,
  runs: path.join(dataDir, 'runs'),
  capsules: path.join(dataDir, 'capsules'),
  archives: path.join(dataDir, 'archives'),
  providers: path.join(dataDir, 'providers'),
  git: path.join(dataDir, 'git'),
});

/** Takes configurations that were only proposed out of the ledger; answers how many. */
export type DeleteProposals = (ids: readonly string[]) => number;

/** What a part of a sweep works with. */
export type SweepContext = {
  folders: GcFolders;
  store: GcStore;
  trash: Trash;
  deleteProposals: DeleteProposals;
  clock: Clock;
  periods: Periods;
  /** Counts one thing that was taken away. */
  count(): void;
  /** To be awaited between small pieces of work: lets requests through, and rejects when the sweep has to end. */
  breathe(): Promise<void>;
};

/**
 * One kind of thing that is collected. What it takes away it judges and takes in one turn of the event loop, without an
 * await between: everything else of this process that could begin to need it runs in other turns.
 */
export type SweepPart = { name: string; sweep(context: SweepContext): Promise<void> };
