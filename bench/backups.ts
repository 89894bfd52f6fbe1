import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { removeTree } from '#server/kernel/remove-tree';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { createBackupKeyPair } from '../server/src/drivers/backup-archive/index.ts';
import { type Api, createApi } from './api.ts';
import { counted, insertCapsules } from './ledger-sizes.ts';
import { type CaseResult, compare, timed } from './median.ts';

const run = promisify(execFile);

const capsules = 1_000;
const generations = 10;
const stateBytes = 6_000;
const archives = 100;
const archiveBytes = 200_000;
const mebibyte = 1 << 20;

const insertAll = (workspaceId: string): string => `
  ${insertCapsules(workspaceId, capsules, generations)}
  ${counted(capsules * generations)}
  INSERT INTO state_versions
    (id, workspace_id, capsule_id, environment, generation, created_by_run_id, resource_count, partial, lineage, serial,
     tool_name, state_digest, state, created_at)
  SELECT printf('sv_%026d', i), '${workspaceId}', printf('cap_%026d', 1 + i % ${capsules}), 'default', 1 + i / ${capsules},
    printf('apply_%026d', i), 1, 0, 'lineage', i, 'tofu', printf('sha256:%064x', i), randomblob(${stateBytes}), 1700000000000 FROM n;`;

/** Writes archives of snapshots, and one file for each Capsule that an apply left. */
function writeFiles(dataDir: string, workspaceId: string, ledger: Database.Database): void {
  const insert = ledger.prepare(`INSERT INTO source_snapshots
    (id, workspace_id, source_id, url, ref, resolved_commit, path, archive_digest, archive_size_bytes, repository_manifest,
     left_out, fetched_by_run_id, fetched_at)
    VALUES (?, ?, 'src_bench', 'https://git.example.com/modules.git', 'HEAD', ?, '.', ?, ?, '{"status":"absent"}', '[]', 'ssr_bench', ?)`);
  for (let index = 0; index < archives; index += 1) {
    const bytes = randomBytes(archiveBytes);
    const hex = createHash('sha256').update(bytes).digest('hex');
    const folder = path.join(dataDir, 'archives', hex.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, `${hex}.tar`), bytes);
    insert.run(`snap_${index}`, workspaceId, String(index), `sha256:${hex}`, archiveBytes, Date.now());
  }
  for (let index = 1; index <= capsules; index += 1) {
    const folder = path.join(dataDir, 'capsules', `cap_${String(index).padStart(26, '0')}`, 'tree');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'result.txt'), randomBytes(1_000));
  }
}

async function fill(server: TestServer): Promise<string> {
  const workspaceId = await createApi(server).workspaceId();
  const ledger = new Database(`${server.dataDir}/ledger.db`);
  ledger.pragma('synchronous = OFF');
  ledger.transaction(() => {
    ledger.exec(insertAll(workspaceId));
    writeFiles(server.dataDir, workspaceId, ledger);
  })();
  ledger.pragma('wal_checkpoint(TRUNCATE)');
  ledger.close();
  return workspaceId;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);

type Setup = { entry: string; root: string; server: TestServer; recipient: string; identityFile: string };

const groundctl = ({ entry, root }: Setup, ...args: string[]) =>
  run(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'], HOME: root, GROUNDCTL_KEY_FILE: path.join(root, 'restored.key') },
  });

/** Repeats a request until the work has ended, and returns the duration of each. */
async function requestsDuring(work: Promise<unknown>, request: () => Promise<unknown>): Promise<number[]> {
  const state = { isDone: false };
  const ended = work.finally(() => {
    state.isDone = true;
  });
  const times: number[] = [];
  while (!state.isDone) times.push((await timed(request)).ms);
  await ended;
  return times;
}

async function measure(setup: Setup, samples: number, request: () => Promise<unknown>): Promise<CaseResult[]> {
  const { server, root } = setup;
  const times = { backup: [], restore: [], copy: [], busy: [], idle: [] } as Record<string, number[]>;
  const file = path.join(root, 'all.age');
  const restored = path.join(root, 'restored');
  const copied = path.join(root, 'copied');
  for (let index = 0; index < samples; index += 1) {
    const copy = await timed(() => run('cp', ['-a', server.dataDir, copied]));
    times['copy']?.push(copy.ms);
    for (let requests = 0; requests < 100; requests += 1) times['idle']?.push((await timed(request)).ms);
    rmSync(file, { force: true });
    const backup = timed(() =>
      groundctl(setup, 'backup', '--all', file, '--data-dir', server.dataDir, '--recipient', setup.recipient),
    );
    times['busy']?.push(...(await requestsDuring(backup, request)));
    times['backup']?.push((await backup).ms);
    const restore = await timed(() =>
      groundctl(setup, 'restore', file, '--data-dir', restored, '--identity-file', setup.identityFile),
    );
    times['restore']?.push(restore.ms);
    removeTree(restored);
    if (index < samples - 1) removeTree(copied);
  }
  const { backup = [], restore = [], copy = [], busy = [], idle = [] } = times;
  const slowest = (list: number[]) => [list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0];
  return [
    compare('backup: 1,000 Capsules with 10 generations, against a copy of the folder', backup, copy),
    compare('restore: the same, against a copy of the folder', restore, copy),
    {
      ...compare('backup: size, against the folder', [statSync(file).size / mebibyte], [bytesIn(copied) / mebibyte]),
      unit: 'MiB',
    },
    compare('backup: a request during it, against an idle server', busy, idle),
    compare('backup: 99th percentile of requests during it, against an idle server', slowest(busy), slowest(idle)),
  ];
}

/** Time and size of a backup beside a running server and of its restore, against `cp -a`, and requests during the backup. */
export async function backups(samples: number, entry: string): Promise<CaseResult[]> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-bench-'));
  const server = await startServer({ entry });
  try {
    const { identity, recipient } = await createBackupKeyPair();
    const identityFile = path.join(root, 'identity');
    writeFileSync(identityFile, `${identity}\n`, { mode: 0o600 });
    const workspaceId = await fill(server);
    const api: Api = createApi(server);
    const request = () => api.get(`/workspaces/${workspaceId}/capsules?limit=10`);
    return await measure({ entry, root, server, recipient, identityFile }, samples, request);
  } finally {
    await server.stop();
    removeTree(root);
  }
}
