import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { readServerId, writeLitestreamEnv } from '../compose/fence.ts';
import { lockDataDir } from '../kernel/db.ts';
import { makeFolder, syncFolder, writeDurably } from '../kernel/disk.ts';
import { guardDataFolder } from '../kernel/private-folder.ts';
import { removeTree } from '../kernel/remove-tree.ts';
import { failed } from './exit-codes.ts';

/** Folder in the data folder that holds the ledger until it is promoted. */
const stagedName = 'promoting';
const ledgerName = 'ledger.db';
/** Folder of the journals of jobs that machines hold, which come again from the start. */
const journalsName = 'runs';
const lockNames: readonly string[] = ['lock.db', 'lock.db-journal'];
/** Folder in the root of some file systems. */
const systemName = 'lost+found';
/** Names that an interrupted promotion leaves in a data folder. */
const unusedNames: readonly string[] = [...lockNames, systemName];
const ownNames: readonly string[] = [stagedName, journalsName, ...unusedNames, 'server-id', 'litestream.env'];
/** Codes of the system for a folder that this account may not use. */
const refusedCodes = ['EACCES', 'EPERM', 'EROFS', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];

/** An unused data folder that a promotion fills. */
export type PromotedFolder = {
  /** Folder in which the ledger is prepared. */
  staged: string;
  /** Makes the prepared ledger that of the data folder: at once, and as the last step. */
  finish(term: number): void;
  release(): void;
};

/**
 * Locks an unused data folder, which is created when it is missing. It may have what an interrupted promotion left.
 * Throws `data_folder_not_empty`, `data_folder_in_use` or `data_folder_refused`, and `StartError` for a folder that other
 * users may change.
 */
export function openPromotedFolder(dataDir: string): PromotedFolder {
  try {
    return openUnused(dataDir);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!refusedCodes.includes(code)) throw error;
    throw failed('data_folder_refused', refusedText(dataDir, code));
  }
}

const refusedText = (dataDir: string, code: string): string =>
  `${dataDir} cannot be created or used by this account (${code}). As root, create it for the user of the server with: install -d -o USER -m 0700 ${dataDir}\nThen repeat the same command as that user.`;

function openUnused(dataDir: string): PromotedFolder {
  const staged = path.join(dataDir, stagedName);
  checkUnused(dataDir, staged);
  guardDataFolder(dataDir);
  const lock = lockDataDir(dataDir);
  if (!lock)
    throw failed('data_folder_in_use', `Another promotion or a server uses ${dataDir}. Wait until it has ended.`);
  makeFolder(staged);
  return {
    staged,
    finish: (term) => moveLedger({ staged, dataDir, term }),
    release: lock.release,
  };
}

function checkUnused(dataDir: string, staged: string): void {
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (!folder) return;
  const refused = (reason: string) => failed('data_folder_not_empty', `${dataDir} ${reason}`);
  if (!folder.isDirectory())
    throw refused('is a file. Move it elsewhere: --data-dir is the folder that the configuration of Litestream names.');
  const isRepeated = existsSync(staged);
  const allowed = isRepeated ? ownNames : unusedNames;
  const others = readdirSync(dataDir).filter((name) => !allowed.includes(name));
  if (others.length === 0) return;
  if (isRepeated && others.includes(ledgerName) && !existsSync(path.join(staged, ledgerName)))
    throw refused(
      `holds the promoted ledger: only the end of the last step is missing. Remove ${staged}, and start the server.`,
    );
  throw isRepeated
    ? refused(
        `was filled since the promotion began. Move everything but ${staged} elsewhere, then repeat the same command.`,
      )
    : refused(
        'is not empty. Move its content elsewhere: --data-dir is the folder that the configuration of Litestream names.',
      );
}

type Move = { staged: string; dataDir: string; term: number };

/** Moves the ledger last, so that an interrupted promotion is repeated as the same server. */
function moveLedger({ staged, dataDir, term }: Move): void {
  if (existsSync(path.join(staged, 'ledger.db-wal')))
    throw failed('ledger_open', `Changes to the ledger in ${staged} are not complete. Repeat the same command.`);
  writeDurably(path.join(dataDir, 'server-id'), `${readServerId(staged)}\n`);
  writeLitestreamEnv(dataDir, term);
  moveJournals(staged, dataDir);
  renameSync(path.join(staged, ledgerName), path.join(dataDir, ledgerName));
  syncFolder(dataDir);
  removeTree(staged);
}

/** Replaces the journals that an interrupted promotion has moved. */
function moveJournals(staged: string, dataDir: string): void {
  const [from, to] = [path.join(staged, journalsName), path.join(dataDir, journalsName)];
  removeTree(to);
  if (existsSync(from)) renameSync(from, to);
}
