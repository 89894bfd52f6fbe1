import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { listRetainedArchives } from '#server/domains/gc/index';
import type { ExportedKey } from '#server/domains/keys/index';
import { archivePath, verifyArchive } from '#server/drivers/archive/index';
import type { BackupInput } from '#server/drivers/backup-archive/index';
import { backupLimits } from '#shared/limits';
import { keysPath, type OmittedFile, omittedPath, printKeys, printOmitted } from './about-members.ts';
import { type FileListing, type FolderFile, listFiles } from './folder-files.ts';
import { formsFolder, listFormFiles } from './form-files.ts';
import { copyLeftFiles, listArchivedPaths } from './left-files.ts';
import type { LedgerCopy } from './store.ts';

export type MembersRequest = {
  dataDir: string;
  /** Folder with the copied ledger, and for other copies. */
  workDir: string;
  keepDays: number;
  includeProviders: boolean;
  now: number;
};

/** Folders with files that the operator wrote. */
const operatorFolders = ['recipes', 'oauth-helpers', 'credential-services'];
export const clientsFile = 'oidc-clients.json';
export const ledgerFile = 'ledger.db';
const archivesFolder = 'archives';
const capsulesFolder = 'capsules';
const copiesFolder = 'copies';
const providersFolder = 'providers';

/** First parts of the paths that a backup of an installation may hold. */
export const memberRoots: ReadonlySet<string> = new Set([
  ...operatorFolders,
  clientsFile,
  ledgerFile,
  archivesFolder,
  capsulesFolder,
  copiesFolder,
  formsFolder,
  providersFolder,
]);

/** Lists everything that the backup of an installation holds, and copies what may change before it is read. */
export async function listMembers(
  request: MembersRequest,
  { copy, keys }: { copy: LedgerCopy; keys: readonly ExportedKey[] },
): Promise<BackupInput[]> {
  const archives = await listArchiveFiles(request, copy);
  const found = [
    archives,
    ...leftFilesOf(request, copy),
    ...listFormFiles(request, copy),
    // Their objects never change, and their branch is older than none of them.
    listFiles({ dir: path.join(request.dataDir, copiesFolder), name: copiesFolder }),
    ...operatorFolders.map((name) => listFiles({ dir: path.join(request.dataDir, name), name })),
    ...(request.includeProviders
      ? [listFiles({ dir: path.join(request.dataDir, providersFolder), name: providersFolder })]
      : []),
  ];
  const clients = path.join(request.dataDir, clientsFile);
  const omitted = found.flatMap((part) => part.omitted);
  return [
    textMember(keysPath, printKeys(keys)),
    textMember(omittedPath, printOmitted(omitted)),
    fileMember({ path: ledgerFile, file: path.join(request.workDir, ledgerFile), executable: false }),
    ...(existsSync(clients) ? [fileMember({ path: clientsFile, file: clients, executable: false })] : []),
    ...found.flatMap((part) => part.files).map(fileMember),
  ];
}

async function listArchiveFiles({ dataDir, keepDays, now }: MembersRequest, { gc }: LedgerCopy): Promise<FileListing> {
  const archivesDir = path.join(dataDir, archivesFolder);
  const files: FolderFile[] = [];
  const omitted: OmittedFile[] = [];
  for await (const { path: file, digest, sizeBytes } of listRetainedArchives({
    store: gc,
    archivesDir,
    now,
    keepDays,
  })) {
    const name = path.relative(dataDir, file).split(path.sep).join('/');
    if (verifyArchive(file, digest)) files.push({ path: name, file, executable: false, known: { digest, sizeBytes } });
    else omitted.push({ path: name, reason: 'damaged' });
  }
  return { files, omitted };
}

function leftFilesOf({ dataDir, workDir }: MembersRequest, copy: LedgerCopy): FileListing[] {
  const known = new Map<string, ReadonlySet<string>>();
  const ownOf = (digest: string | null): ReadonlySet<string> => {
    if (digest === null) return new Set();
    const own = known.get(digest) ?? listArchivedPaths(archivePath(path.join(dataDir, archivesFolder), digest));
    known.set(digest, own);
    return own;
  };
  let left: number = backupLimits.leftFiles;
  return copy.listCapsules().flatMap(({ id, archiveDigest }) => {
    const name = `${capsulesFolder}/${id}/tree`;
    const dir = path.join(dataDir, capsulesFolder, id, 'tree');
    if (!existsSync(dir)) return [];
    const maxFiles = Math.min(left, backupLimits.leftTreeFiles);
    const copied = copyLeftFiles({ dir, name, own: ownOf(archiveDigest), copies: workDir, maxFiles });
    left -= copied.files.length;
    return [copied];
  });
}

/** A file up to this size is read at once: a stream costs more than its bytes. */
const readBytes = 1 << 18;

const fileMember = ({ path: name, file, executable, known }: FolderFile): BackupInput => ({
  path: name,
  ...(executable && { executable }),
  ...(known && { known }),
  open: () =>
    statSync(file).size <= readBytes ? readFileSync(file) : createReadStream(file, { highWaterMark: readBytes }),
});

const textMember = (name: string, text: string): BackupInput => ({ path: name, open: () => Buffer.from(text) });
