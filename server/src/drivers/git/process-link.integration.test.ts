import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as handOver } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { childrenOf } from '../../../test/child-processes.ts';
import { startGit } from '../../../test/git-driver.ts';
import type { Git } from './index.ts';

/* A stopped process simulates a call that blocks forever, such as one to a network file system whose server is gone. */

let root: string;
let repository: TestRepository;
let commit: string;
let git: Git;
const before = new Set(childrenOf(process.pid));
const readers = () => childrenOf(process.pid).filter((pid) => !before.has(pid) && isReader(pid));
const isReader = (pid: number) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('git-child');

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-process-link-'));
  repository = createTestRepository(path.join(root, 'repository'));
  commit = repository.commit({ 'main.tf': 'x' });
  git = startGit({ allowLoopback: false, allowLocal: true }, { stopMs: 1, most: 2 });
});
afterEach(async () => {
  await git.close();
  fs.rmSync(root, { recursive: true, force: true });
});

const resolve = (signal?: AbortSignal) =>
  git.resolveRef({ url: pathToFileURL(repository.dir).href, ref: 'main' }, signal);

/** Halts the idle reader, so that the next task never ends. */
async function haltReader(): Promise<number> {
  const earlier = readers();
  await resolve();
  const [pid = 0] = readers().filter((reader) => !earlier.includes(reader));
  process.kill(pid, 'SIGSTOP');
  return pid;
}

describe.runIf(process.platform === 'linux')('a process that reads local repositories', () => {
  it('stays for the next task and sees nothing of the environment', async () => {
    await resolve();
    const [first] = readers();
    await resolve();
    expect(readers()).toEqual([first]);
    expect(fs.readFileSync(`/proc/${first}/environ`, 'utf8')).toMatch(/^NODE_CHANNEL_\w+=\d+\0[^/]*$/);
  });

  it('is killed when its task does not end, and the next task gets another process', async () => {
    const pid = await haltReader();
    const controller = new AbortController();
    const work = resolve(controller.signal);
    await handOver();
    controller.abort(new Error('no longer wanted'));
    await expect(work).rejects.toThrow('no longer wanted');
    expect((await resolve()).commit).toBe(commit);
    expect(readers()).not.toContain(pid);
  });

  it('does not delay other tasks, and reports a timeout', async () => {
    await haltReader();
    const late = Promise.allSettled([resolve(AbortSignal.timeout(200))]);
    const others = await Promise.all([resolve(), resolve(), resolve()]);
    expect(others.map((ref) => ref.commit)).toEqual([commit, commit, commit]);
    expect(await late).toMatchObject([{ reason: { code: 'source_timed_out' } }]);
  });

  it('does not delay a close, and no task starts after that', async () => {
    await haltReader();
    const ends = Promise.allSettled([resolve(), resolve(), resolve()]);
    await handOver();
    await git.close();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(resolve()).rejects.toMatchObject({ code: 'source_sync_failed' });
  });

  it('that is killed ends its task with an error message', async () => {
    const pid = await haltReader();
    const work = resolve();
    process.kill(pid, 'SIGKILL');
    await expect(work).rejects.toMatchObject({ code: 'source_sync_failed' });
    expect((await resolve()).commit).toBe(commit);
  });

  it('that is at its task limit queues a task, which can be withdrawn', async () => {
    await haltReader();
    const controller = new AbortController();
    const halted = resolve(controller.signal);
    const second = resolve();
    const third = resolve(controller.signal);
    const ends = Promise.allSettled([halted, third]);
    await handOver();
    controller.abort(new Error('no longer wanted'));
    expect(await ends).toMatchObject([
      { reason: { message: 'no longer wanted' } },
      { reason: { message: 'no longer wanted' } },
    ]);
    expect((await second).commit).toBe(commit);
  });
});
