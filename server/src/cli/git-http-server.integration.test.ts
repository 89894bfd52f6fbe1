import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { createTestRepository } from '../../../e2e/fixtures/git-server.ts';
import { type GitServer, type SpawnGit, startGitHttpServer } from './git-http-server.ts';

let tempRoot: string;
let server: GitServer;
afterEach(async () => {
  await server.close();
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

it('serves every repository below its folder to a real git client, for reading only', async () => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-serve-'));
  const repository = createTestRepository(path.join(tempRoot, 'served/team/modules'));
  repository.commit({ 'main.tf': 'x'.repeat(200_000), 'net/run.sh': 'y' });
  server = await startGitHttpServer({ root: path.join(tempRoot, 'served'), spawn: spawn as unknown as SpawnGit });
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
  const clone = path.join(tempRoot, 'clone');
  const git = (...args: string[]) =>
    promisify(execFile)('git', args, { env: { PATH: process.env.PATH, HOME: tempRoot } });
  await git('clone', '-q', `${server.url}/team/modules`, clone);
  expect(fs.readFileSync(path.join(clone, 'main.tf'), 'utf8')).toHaveLength(200_000);
  expect((await fetch(`${server.url}/nope/info/refs?service=git-upload-pack`)).status).toBe(404);
  expect((await fetch(`${server.url}/team/modules/info/refs?service=git-receive-pack`)).status).toBe(403);
  for (const bad of ['%00', '%', '%ff']) expect((await fetch(`${server.url}/${bad}`)).status, bad).toBe(400);
  await expect(git('-C', clone, 'push', '-q', 'origin', 'HEAD:refs/heads/other')).rejects.toThrow();
});
