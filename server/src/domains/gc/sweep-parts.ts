import path from 'node:path';
import { copyFoldersOf } from '#server/domains/copies/index';
import type { Clock } from '#server/kernel/clock';
import type { Periods } from './retention.ts';
import type { GcStore } from './store.ts';
import type { Trash } from './trash.ts';

/** Paths below the data folder that a sweep covers. */
export type GcFolders = {
  dataDir: string;
  runs: string;
  capsules: string;
  archives: string;
  providers: string;
  git: string;
  /** Repositories of the installable copies, the work on their revisions, and fetched packages. */
  copies: string;
  copyWork: string;
  packages: string;
};

export const gcFoldersOf = (dataDir: string): GcFolders => ({
  dataDir,
  runs: path.join(dataDir, 'runs'),
  capsules: path.join(dataDir, 'capsules'),
  archives: path.join(dataDir, 'archives'),
  providers: path.join(dataDir, 'providers'),
  git: path.join(dataDir, 'git'),
  copies: copyFoldersOf(dataDir).copies,
  copyWork: copyFoldersOf(dataDir).work,
  packages: copyFoldersOf(dataDir).packages,
});

/** Deletes configurations that were only proposed from the ledger; returns their number. */
export type DeleteProposals = (ids: readonly string[]) => number;

/** Deletes the plans of Runs from the ledger; returns their number. */
export type DeletePlans = (runIds: readonly string[]) => number;

/** Deletes Runs with their plans and feeds from the ledger; returns their number. Their usage and history stay. */
export type DeleteRuns = (runIds: readonly string[]) => number;

/** Context of a part of a sweep. */
export type SweepContext = {
  folders: GcFolders;
  store: GcStore;
  trash: Trash;
  deleteProposals: DeleteProposals;
  deletePlans: DeletePlans;
  deleteRuns: DeleteRuns;
  clock: Clock;
  periods: Periods;
  /** Counts one removed item. */
  count(): void;
  /** Awaited between small pieces of work: lets requests proceed, and rejects when the sweep has to end. */
  breathe(): Promise<void>;
};

/**
 * One kind of item that is collected. Each item is checked and removed in one turn of the event loop, without an await between, so that
 * other work in this process cannot start to need it in between.
 */
export type SweepPart = { name: string; sweep(context: SweepContext): Promise<void> };
