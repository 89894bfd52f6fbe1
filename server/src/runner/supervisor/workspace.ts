import path from 'node:path';
import { type GeneratedFile, generateFiles, prepareTree, readModuleFolder } from '#server/tofu/index';
import { readPlainFile } from '../durable-file.ts';
import type { LaunchContext } from './launch.ts';
import { type Layout, stateFileName } from './layout.ts';

const lockMaxBytes = 4_194_304;
const lockFileName = '.terraform.lock.hcl';

/** The tree a Run works in, and what is put right in it before every command. */
export type Workspace = {
  readonly generated: readonly GeneratedFile[];
  /** The lock that counts: the recorded one, or the one init left; null while there is none. */
  lock: string | null;
  /** The lock file the module brings, while nothing is recorded. */
  ownLock: string | null;
  /** Archive, generated files and lock as they must be; nothing else that would steer the tool. */
  restore(): void;
  /** The lock file as the last command left it; '' for none. */
  readLock(): string;
};

export function openWorkspace({ job, layout }: LaunchContext): Workspace {
  const folder = readModuleFolder({ archivePath: job.archive.path, modulePath: job.modulePath });
  const generated = generateFiles({
    ...job.configuration,
    moduleFileNames: folder.fileNames,
    tool: job.tool.name,
    statePath: path.posix.join(layout.seen.state, stateFileName),
  });
  const workspace: Workspace = {
    generated,
    lock: job.lock,
    ownLock: job.lock === null ? folder.lock : null,
    restore() {
      prepareTree({
        archivePath: job.archive.path,
        treeDir: layout.host.tree,
        modulePath: job.modulePath,
        generated,
        // An empty lock stands for a module without providers, whose init writes no file.
        lock: workspace.lock === '' ? null : workspace.lock,
        ownLock: workspace.ownLock !== null,
      });
    },
    readLock: () => readLockFile(layout),
  };
  return workspace;
}

function readLockFile(layout: Layout): string {
  return readPlainFile(path.join(layout.moduleDir, lockFileName), lockMaxBytes)?.toString('utf8') ?? '';
}
