import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formsDirOf } from '#server/domains/form-packages/index';
import {
  createFormResourcesStore,
  createNativeCopies,
  createNativeObjects,
} from '#server/domains/form-resources/index';
import { viewLedger } from '#server/kernel/db';
import { noLedgerMessage } from '#server/kernel/ledger-file';
import { formHostLimits } from '#shared/limits';
import type { OmittedFile } from './about-members.ts';
import { type FileListing, type FolderFile, listFiles } from './folder-files.ts';
import { copyInside, requireSpace } from './left-files.ts';
import type { LedgerCopy } from './store.ts';

type Folders = { dataDir: string /** Folder for copies. */; workDir: string };

export const formsFolder = 'forms';
const nativeFolder = `${formsFolder}/native`;
const isUnfinished = (name: string) => name.endsWith('.json.tmp');

/**
 * Lists the packages of forms, and copies the native objects of Resources as they were when the ledger was copied: an
 * operation may change them at any time.
 */
export function listFormFiles(folders: Folders, copy: Pick<LedgerCopy, 'formResources'>): FileListing[] {
  const isSkipped = (relative: string) => relative === 'native' || isUnfinished(relative);
  return [
    listFiles({ dir: formsDirOf(folders.dataDir), name: formsFolder, isSkipped }),
    copyNativeObjects(folders, copy.formResources),
  ];
}

function copyNativeObjects({ dataDir, workDir }: Folders, copy: LedgerCopy['formResources']): FileListing {
  const ledger = viewLedger(dataDir);
  if (ledger === undefined) throw new Error(noLedgerMessage);
  try {
    const native = createNativeObjects(dataDir);
    const copies = createNativeCopies({ native, copy, live: createFormResourcesStore(ledger) });
    const ids = copies.listIds();
    const found: FileListing = {
      files: [],
      omitted: listOthers(native.folder, new Set(ids.map((id) => `${id}.json`))),
    };
    for (const id of ids) {
      const name = `${nativeFolder}/${id}.json`;
      const file = { path: name, file: path.join(workDir, name), executable: false };
      const reason = write(file, copies.select(id), native.folder);
      if (reason === undefined) found.files.push(file);
      else if (reason !== 'absent') found.omitted.push({ path: name, reason });
    }
    return found;
  } finally {
    ledger.close();
  }
}

/** Names the entries of the folder that are no native objects. */
function listOthers(folder: string, known: ReadonlySet<string>): OmittedFile[] {
  const names = listNames(folder).filter((name) => !isUnfinished(name) && !known.has(name));
  return names.map((name) => ({ path: `${nativeFolder}/${name}`, reason: 'name' }));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Writes the copy of an object. Returns the reason when there is none. */
function write(
  { path: name, file }: FolderFile,
  copy: ReturnType<ReturnType<typeof createNativeCopies>['select']>,
  folder: string,
): OmittedFile['reason'] | 'absent' | undefined {
  if (copy === 'absent') return 'absent';
  if (copy === 'raw') {
    const relative = path.posix.basename(name);
    const copied = copyInside({ dir: folder, relative, to: file, maxBytes: formHostLimits.nativeBytes });
    return 'reason' in copied ? copied.reason : undefined;
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  requireSpace(path.dirname(file), Buffer.byteLength(copy.text));
  writeFileSync(file, copy.text, { mode: 0o600, flag: 'wx' });
  return undefined;
}
