import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createTestRepository } from '../e2e/fixtures/git-server.ts';
import { type SpawnGit, startGitHttpServer } from '../server/src/cli/git-http-server.ts';
import { terraformDataModule } from './bare-tool.ts';

export type Origin = {
  /** Clone address on a loopback port. */
  url: string;
  /** Commits the files, or one changed text, and returns the new commit. */
  commit(changed?: RepositoryFiles): string;
  close(): Promise<void>;
};

/** Files of a repository by path. */
export type RepositoryFiles = { [path: string]: string };

/**
 * A repository served by Git's own HTTP program: of these files, or of that number of small ones and one module at its
 * root.
 */
export async function serveRepository(
  files: number | RepositoryFiles,
  module = terraformDataModule(50),
): Promise<Origin> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-origin-'));
  const repository = createTestRepository(path.join(root, 'origin'));
  repository.commit(typeof files === 'number' ? { 'main.tf': module, ...smallFiles(files) } : files);
  // One pack, as a code host keeps it: otherwise every clone would measure the packing of loose objects.
  repository.git('repack', '-a', '-d', '-q');
  const server = await startGitHttpServer({ root, spawn: spawn as unknown as SpawnGit });
  let changes = 0;
  return {
    url: `${server.url}/origin/.git`,
    commit: (changed) => {
      changes += 1;
      return repository.commit(changed ?? { 'CHANGES.txt': `change ${changes}\n` });
    },
    close: async () => {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Files of a few hundred bytes that compress about as well as source text, a hundred per folder. */
function smallFiles(count: number): RepositoryFiles {
  const text = (file: number) =>
    Array.from({ length: 12 }, (_, line) => `line ${line} of ${file}: ${(file * 7919 + line * 104729) % 1_000_003}\n`);
  const entry = (file: number) => [`docs/${Math.floor(file / 100)}/${file}.txt`, text(file).join('')] as const;
  return Object.fromEntries(Array.from({ length: count }, (_, file) => entry(file)));
}
