import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';

type SupervisorParts = {
  dataDir: string;
  /** Folder of the built server, which contains the supervisor. */
  serverDir: string;
  /** The Node program that is shipped with the desktop. */
  nodeFile: string;
  version: string;
};
type SupervisorHome = { nodePath: string; entry: string };

const entryName = 'supervisor.cjs';
/** The current one and the previous one, from which an apply may still run. */
const retainedHomes = 2;

/**
 * Copies Node and the supervisor to the data folder, so that an update or removal of the desktop does not remove the
 * files of an apply that outlives it. Existing copies are used again.
 */
export async function installSupervisor(parts: SupervisorParts): Promise<SupervisorHome> {
  const base = path.join(parts.dataDir, 'supervisors');
  const folder = path.join(base, `${parts.version}-${digestOf(parts)}`);
  if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
  else await fill(folder, parts);
  removeOldHomes(base);
  return { nodePath: path.join(folder, nodeName(parts)), entry: path.join(folder, entryName) };
}

const nodeName = ({ nodeFile }: SupervisorParts): string => path.basename(nodeFile);

function digestOf({ serverDir, nodeFile }: SupervisorParts): string {
  const { size, mtimeMs } = statSync(nodeFile);
  const hash = createHash('sha256').update(readFileSync(path.join(serverDir, entryName)));
  return hash.update(`${size} ${mtimeMs}`).digest('hex').slice(0, 12);
}

/** Complete or absent: an interrupted start leaves a folder with another name. */
async function fill(folder: string, parts: SupervisorParts): Promise<void> {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  copyFileSync(path.join(parts.serverDir, entryName), path.join(fresh, entryName));
  const node = path.join(fresh, nodeName(parts));
  await copyFile(parts.nodeFile, node, constants.COPYFILE_FICLONE);
  chmodSync(node, 0o700);
  renameSync(fresh, folder);
}

function removeOldHomes(base: string): void {
  const homes = readdirSync(base)
    .map((name) => path.join(base, name))
    .map((folder) => ({ folder, usedAt: statSync(folder).mtimeMs }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const { folder } of homes.slice(retainedHomes)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A system that cannot remove the files of a running process keeps them until the next start.
    }
  }
}
