import fs from 'node:fs';
import path from 'node:path';
import { createTestRepository, startGitFixture, type TestRepository } from '../../e2e/fixtures/git-server.ts';
import { tempDir } from './harness.ts';

export type GitHost = {
  /** A new repository with these files on `main`; without files it is empty. */
  repository(name: string, files?: Record<string, string | Buffer>): TestRepository;
  /** Address of a repository; `mode` selects the behavior of the server. */
  url(name: string, mode?: string): string;
  close(): Promise<void>;
};

/** Real Git repositories behind a real Git server on this machine. */
export async function startGitHost(): Promise<GitHost> {
  const root = tempDir();
  const fixture = await startGitFixture({ root });
  return {
    repository(name, files) {
      const repository = createTestRepository(path.join(root, name));
      if (files) repository.commit(files);
      return repository;
    },
    url: (name, mode = 'plain') => `${fixture.url}/${mode}/${name}`,
    async close() {
      await fixture.close();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}
