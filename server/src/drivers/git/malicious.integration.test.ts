import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { startGit } from '../../../test/git-driver.ts';
import { tempDir } from '../../../test/harness.ts';
import { maliciousPacks } from '../../../test/malicious/malicious-packs.ts';
import { maliciousServers, talkative, turns } from '../../../test/malicious/malicious-servers.ts';
import { acceptedTrees, type MaliciousCase, maliciousTrees } from '../../../test/malicious/malicious-trees.ts';
import { type Script, startScriptedHost } from '../../../test/malicious/scripted-host.ts';
import type { GitError } from './index.ts';

type SyncReport = { at: number; code: string; message?: string; fileCount?: number; lines: number; ms: number };

const tempRoot = tempDir();
afterAll(() => fs.rmSync(tempRoot, { recursive: true, force: true }));

/** Syncs each of them over HTTP in a sandboxed process; returns the outcomes, and the state of the sandbox. */
async function syncAll(
  cases: readonly MaliciousCase[],
  work: string,
): Promise<{ fence: string[]; reports: SyncReport[] }> {
  const host = await startScriptedHost(cases.map(({ script }) => script));
  const fence = ['--permission', '--allow-worker', '--allow-fs-read=*', `--allow-fs-write=${work}`];
  const helper = (name: string) => path.join(repositoryRoot, 'server/test/malicious', name);
  const flags = ['--no-warnings', '--import', helper('without-sync.ts')];
  const child = spawn(
    process.execPath,
    [...fence, ...flags, helper('malicious-child.ts'), work, host.url, String(cases.length)],
    {
      env: {},
      cwd: repositoryRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines: object[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line));
  if (child.exitCode === null) await once(child, 'exit');
  await host.close();
  expect(child.exitCode).toBe(0);
  const [first, ...reports] = lines;
  return { fence: (first as { fence: string[] }).fence, reports: reports as SyncReport[] };
}

const listFiles = (dir: string): string[] =>
  fs.readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []));

describe('malicious repositories', { timeout: 180_000 }, () => {
  const cases = [...maliciousTrees(), ...maliciousPacks(), ...maliciousServers()];
  const work = path.join(tempRoot, 'work');
  let outcome: Awaited<ReturnType<typeof syncAll>>;
  beforeAll(async () => {
    fs.mkdirSync(work);
    outcome = await syncAll(cases, work);
  }, 180_000);

  test('are more than 300, each with another name', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test('are each refused with the expected code', () => {
    const wrong = outcome.reports.filter(({ at, code }) => !cases[at]?.codes.includes(code));
    expect(wrong.map(({ at, code, message }) => [cases[at]?.name, code, message])).toEqual([]);
    expect(outcome.reports).toHaveLength(cases.length);
  });

  test('are refused with messages of printable text', () => {
    for (const { message } of outcome.reports) expect(message).toMatch(/^[A-Z][^\p{C}\p{Zl}\p{Zp}]+$/u);
  });

  test('neither write outside of the work folder nor start a process, and the sandbox blocked no attempt', () => {
    expect(outcome.fence).toEqual(['allowed', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
    expect(fs.readdirSync(tempRoot)).toEqual(['work']);
    expect(outcome.reports.filter(({ message }) => message?.includes('ERR_ACCESS_DENIED'))).toEqual([]);
  });

  test('leave no archive and no half-written file behind', () => {
    expect(listFiles(work).filter((name) => name !== 'inside' && !name.endsWith('.pack'))).toEqual([]);
  });

  test('finish in time and send a limited log', () => {
    expect(Math.max(...outcome.reports.map(({ ms }) => ms))).toBeLessThan(30_000);
    expect(Math.max(...outcome.reports.map(({ lines }) => lines))).toBeLessThan(200);
  });
});

describe('malicious repositories that need no refusal', { timeout: 60_000 }, () => {
  test('become snapshots without entries that could mislead a checkout', async () => {
    const work = path.join(tempRoot, 'harmless');
    fs.mkdirSync(work);
    const cases = acceptedTrees();
    const { fence, reports } = await syncAll(cases, work);
    expect(fence).toEqual(['allowed', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
    expect(reports.map(({ at, code, fileCount, message }) => [cases[at]?.name, code, fileCount, message])).toEqual(
      cases.map(({ name, files }) => [name, 'kept', files, undefined]),
    );
  });

  test('pass on only a limited number of the server’s lines', async () => {
    const work = path.join(tempRoot, 'talkative');
    fs.mkdirSync(work);
    const { reports } = await syncAll([talkative()], work);
    expect(reports).toEqual([expect.objectContaining({ code: 'kept' })]);
    expect(reports[0]?.lines).toBeLessThan(120);
  });
});

test('a server that later sends malicious data cannot damage stored data', { timeout: 60_000 }, async () => {
  const work = path.join(tempRoot, 'turned');
  const folders = { repositoryDir: path.join(work, 'git'), archivesDir: path.join(work, 'archives') };
  const git = startGit({ allowLoopback: true, allowLocal: false });
  const sync = async (script: Script) => {
    const host = await startScriptedHost([script]);
    const request = { url: `${host.url}/0`, ref: 'main', path: '.' };
    const outcome = git.sync(request, folders).then(
      ({ resolvedCommit }) => resolvedCommit,
      (error: GitError) => error.code,
    );
    return outcome.finally(() => host.close());
  };
  const [good, ...bad] = turns();
  try {
    expect(await sync(good)).toBe(good.head);
    for (const { codes, script } of bad) expect(codes).toContain(await sync(script));
    expect(await sync(good)).toBe(good.head);
  } finally {
    await git.close();
  }
});
