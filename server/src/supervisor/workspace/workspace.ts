import path from 'node:path';
import { ArchiveError } from '#server/drivers/archive/index';
import { type GeneratedFile, generateFiles, prepareTree, readModuleFolder } from '#server/drivers/tofu/index';
import { readPlainFile, stampOf } from '../../os/durable-file.ts';
import { type Layout, stateFileName } from '../../runner/contract/layout.ts';
import { openBuilt, removeFormerlyBuilt } from '../build/built-files.ts';
import type { LaunchContext } from '../launch-context.ts';
import { RunFailure } from '../run-failure.ts';
import { providerArgumentsOf } from './provider-arguments.ts';

const lockMaxBytes = 4_194_304;
const lockFileName = '.terraform.lock.hcl';

/** The tree of a Run, and its restoration before every command. */
export type Workspace = {
  readonly generated: readonly GeneratedFile[];
  /** Warnings about credentials that the module's own provider blocks prevent. */
  readonly warnings: readonly string[];
  /** Current lock: the recorded one, or the result of init; null while there is none. */
  lock: string | null;
  /** Lock file of the module, while none is recorded. */
  ownLock: string | null;
  /** Restores archive, generated files and lock, and removes other files that would affect the tool. */
  restore(): void;
  /** Returns the lock file after the last command; '' for none. */
  readLock(): string;
};

/** Opens the workspace. Throws `RunFailure` when the archive is missing or not the recorded one, so that it is never planned or applied. */
export function openWorkspace({ spec, layout, names, built }: LaunchContext): Workspace {
  const read = readGuarded(spec);
  const overlay = built && openBuilt({ spec, layout }, built);
  if (overlay === undefined) removeFormerlyBuilt({ spec, layout }, []);
  const folder = read((archive) => readModuleFolder({ ...archive, modulePath: spec.modulePath }));
  const { warnings, providerConfig, providerVariables } = providerArgumentsOf(spec, names);
  const generated = generateFiles({
    ...spec.configuration,
    providerConfig,
    providerVariables,
    moduleFileNames: folder.fileNames,
    tool: spec.tool.name,
    statePath: path.posix.join(layout.seen.state, stateFileName),
  });
  const workspace: Workspace = {
    generated,
    warnings,
    lock: spec.lock,
    ownLock: spec.lock === null ? folder.lock : null,
    restore() {
      read((archive) =>
        prepareTree({
          ...archive,
          ...(overlay && { built: overlay() }),
          treeDir: layout.host.tree,
          modulePath: spec.modulePath,
          generated,
          // An empty lock stands for a module without providers, whose init writes no file.
          lock: workspace.lock === '' ? null : workspace.lock,
          ownLock: workspace.ownLock !== null,
        }),
      );
    },
    readLock: () => readLockFile(layout),
  };
  return workspace;
}

/**
 * Wraps the archive so that every reader compares its digest once, and again when the file changes: the archive is read
 * before each command, and hashing a large one each time would cost more than reading it.
 */
function readGuarded({ archive, operation }: LaunchContext['spec']) {
  let proven = '';
  return <T>(work: (request: { archivePath: string; archiveDigest?: string }) => T): T => {
    try {
      const stamp = stampOf(archive.path);
      const isProven = stamp !== '' && stamp === proven;
      const result = work({ archivePath: archive.path, ...(isProven ? {} : { archiveDigest: archive.digest }) });
      proven = stamp;
      return result;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      throw new RunFailure(operation === 'apply' ? 'plan_seal_mismatch' : 'plan_failed', 'source', error.message);
    }
  };
}

function readLockFile(layout: Layout): string {
  return readPlainFile(path.join(layout.moduleDir, lockFileName), lockMaxBytes)?.toString('utf8') ?? '';
}
