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
  /** Commits one changed file and returns the new commit. */
  commit(): string;
  close(): Promise<void>;
};

/** A repository of `files` small files and one module of 50 resources at its root, served by Git's own HTTP program. */
export async function serveRepository(files: number): Promise<Origin> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-origin-'));
  const repository = createTestRepository(path.join(root, 'origin'));
  repository.commit({ 'main.tf': terraformDataModule(50), ...smallFiles(files) });
  // One pack, as a code host keeps it: otherwise every clone would measure the packing of loose objects.
  repository.git('repack', '-a', '-d', '-q');
  const server = await startGitHttpServer({ root, spawn: spawn as unknown as SpawnGit });
  let changes = 0;
  return {
    url: `${server.url}/origin/.git`,
    commit: () => {
      changes += 1;
      return repository.commit({ 'CHANGES.txt': `change ${changes}\n` });
    },
    close: async () => {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Files of a few hundred bytes that compress about as well as source text, a hundred per folder. */
function smallFiles(count: number): { [name: string]: string } {
  const text = (file: number) =>
    Array.from({ length: 12 }, (_, line) => `line ${line} of ${file}: ${(file * 7919 + line * 104729) % 1_000_003}\n`);
  const entry = (file: number) => [`docs/${Math.floor(file / 100)}/${file}.txt`, text(file).join('')] as const;
  return Object.fromEntries(Array.from({ length: count }, (_, file) => entry(file)));
}
