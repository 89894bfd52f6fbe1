import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { ActivityService } from '#server/domains/activity/index';
import { backupFileOf } from '#server/domains/backups/index';
import { copyFoldersOf, copyRepository, ownPackages } from '#server/domains/copies/index';
import { runIdOfFolder } from '#server/domains/execution/index';
import { createNativeObjects } from '#server/domains/form-resources/index';
import { type GcFolders, openTrash, type Trash } from '#server/domains/gc/index';
import type { KeysService } from '#server/domains/keys/index';
import type { Clock } from '#server/kernel/clock';
import { syncFolder } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { WorkGate } from '#server/kernel/work-gate';
import type { DeletionsStore } from './store.ts';
import { historyTables } from './tables.ts';

/** Time after which a removal that failed is tried again. */
const retryMs = 30_000;

type Deps = {
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  store: DeletionsStore;
  activity: Pick<ActivityService, 'record'>;
  keys: Pick<KeysService, 'erase' | 'shred'>;
  folders: Pick<GcFolders, 'dataDir' | 'runs' | 'capsules'>;
};
export type WorkspaceRemoval = { start(): void; stop(): Promise<void>; settled(): Promise<void> };

/**
 * Removes the rows and files of deleted Workspaces in small pieces. The tombstones are the queue, so that a start
 * continues what the last process left.
 */
export function createWorkspaceRemoval(deps: Deps): WorkspaceRemoval {
  const { log, workGate, store, folders } = deps;
  const rows = createRowRemoval(deps);
  const trash = openTrash(folders.dataDir);
  const removeNativeObjects = createNativeRemoval({ store, folders, take: trash.take });
  const stopping = new AbortController();
  const { signal } = stopping;
  let working: Promise<void> = Promise.resolve();
  const isOver = () => signal.aborted || !workGate.mayAct();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  function requireOpen(): void {
    if (isOver()) throw new Error('The removal has ended early.');
  }
  const breathe = async () => {
    await turn();
    requireOpen();
  };

  /** Moves the folders of the Runs and Capsules, and the backups, into the trash, while their rows still name them. */
  async function removeFolders(workspaceId: string): Promise<void> {
    const runIds = new Set(store.listRunIds(workspaceId));
    for (const name of namesIn(folders.runs)) {
      if (!runIds.has(runIdOfFolder(name))) continue;
      trash.take(path.join(folders.runs, name));
      await breathe();
    }
    for (const file of listFiles(workspaceId, { store, folders })) {
      trash.take(file);
      await breathe();
    }
    await removeNativeObjects(workspaceId, breathe);
    failpoint('deletion.moved');
    await trash.empty(isOver);
    requireOpen();
    failpoint('deletion.emptied');
  }

  async function removeOne(workspaceId: string): Promise<void> {
    await removeFolders(workspaceId);
    await rows.remove(workspaceId, breathe);
    rows.complete(workspaceId);
    log.info({ workspaceId }, 'a deleted Workspace was removed');
  }

  async function work(): Promise<void> {
    for (const id of store.listOpenDeletions()) {
      try {
        await removeOne(id);
      } catch (error) {
        if (isOver()) return;
        log.warn({ workspaceId: id, ...faultFields(error) }, 'the removal of a Workspace failed and is tried again');
        timer ??= setTimeout(again, retryMs).unref();
      }
    }
  }

  function start(): void {
    isStarted = true;
    if (!isOver()) working = working.then(work);
  }
  function again(): void {
    timer = undefined;
    start();
  }

  workGate.onOpen(() => {
    if (isStarted) start();
  });
  return {
    start,
    settled: () => working,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

/**
 * Removes the native objects that Resources of a Workspace name, and those of its operations that were interrupted: the
 * ledger knows these no more, and their files name their owner.
 */
function createNativeRemoval({ store, folders, take }: Pick<Deps, 'store' | 'folders'> & { take: Trash['take'] }) {
  const native = createNativeObjects(folders.dataDir);
  function isOf(workspaceId: string, nativeId: string): boolean {
    if (store.isNativeId(nativeId)) return false;
    const object = native.read(nativeId);
    return object.state === 'present' && object.owner?.workspaceId === workspaceId;
  }
  return async (workspaceId: string, breathe: () => Promise<void>): Promise<void> => {
    for (const id of store.listNativeIds(workspaceId)) {
      take(native.pathOf(id));
      await breathe();
    }
    for (const id of native.listIds()) {
      if (isOf(workspaceId, id)) take(native.pathOf(id));
      await breathe();
    }
    if (existsSync(native.folder)) syncFolder(native.folder);
  };
}

/** Removes the rows and keys of a Workspace. */
const createRowRemoval = ({ clock, store, activity, keys }: Pick<Deps, 'clock' | 'store' | 'activity' | 'keys'>) => ({
  async remove(workspaceId: string, breathe: () => Promise<void>): Promise<void> {
    for (const table of historyTables) {
      while (keys.erase(() => store.deleteSome(table, workspaceId))) await breathe();
      failpoint('deletion.rows');
      await breathe();
    }
  },

  /** Removes rows and keys that work in progress wrote late, and records the end. */
  complete(workspaceId: string): void {
    keys.erase(() => {
      store.deleteRest(workspaceId);
      keys.shred(workspaceId);
      store.completeDeletion(workspaceId, clock.now());
      const target = { targetType: 'workspace', targetId: workspaceId } as const;
      activity.record({ workspaceId, action: 'workspace.erased', ...target });
      failpoint('deletion.completed');
    });
  },
});

/** Folders of the Capsules and copies of a Workspace, the packages of its own, and its backups. */
const listFiles = (workspaceId: string, { store, folders }: Pick<Deps, 'store' | 'folders'>): string[] => [
  ...store.listCapsuleIds(workspaceId).map((id) => path.join(folders.capsules, id)),
  ...store.listCopyIds(workspaceId).map((id) => copyRepository(copyFoldersOf(folders.dataDir), id)),
  ownPackages(copyFoldersOf(folders.dataDir), workspaceId),
  ...store.listBackupIds(workspaceId).map((id) => backupFileOf(folders.dataDir, id)),
];

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
