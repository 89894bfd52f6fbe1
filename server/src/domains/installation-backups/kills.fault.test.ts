import '../../../test/in-memory.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { depth, timesOf } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { tempDir } from '../../../test/harness.ts';
import { digestOfLedgerIn } from '../../../test/installation-backups.ts';
import { createBackupKeyPair, readBackupArchive } from '../../drivers/backup-archive/index.ts';
import { startServer } from '../../index.ts';
import type { FailpointName } from '../../kernel/failpoints.ts';
import { createLog } from '../../kernel/log.ts';
import { readSettings } from '../../kernel/settings.ts';

let folder: string;
let identity: string;
let recipient: string;
let sourceDigest: string;
const inFolder = (name: string) => path.join(folder, name);
const source = () => inFolder('source');
const keyFile = () => inFolder('master.key');
const file = () => inFolder('all.age');
const target = () => inFolder('target');

/** Enough that a kill finds every part of the work in progress. */
const operatorFiles = depth({ quick: 4, deep: 24 });
const operatorBytes = 1 << 20;

beforeAll(async () => {
  folder = tempDir();
  ({ identity, recipient } = await createBackupKeyPair());
  fs.writeFileSync(inFolder('identity'), `# key of a test\n${identity}\n`, { mode: 0o600 });
  const env = { GROUNDCTL_TOOL_PATH: inFolder('none'), GROUNDCTL_KEY_FILE: keyFile() };
  const server = await startServer({
    settings: readSettings(env, { dataDir: source(), port: '0' }),
    log: createLog('silent'),
  });
  await server.close();
  fs.mkdirSync(path.join(source(), 'recipes'), { mode: 0o700 });
  for (let index = 0; index < operatorFiles; index += 1)
    fs.writeFileSync(path.join(source(), 'recipes', `${index}.json`), randomBytes(operatorBytes));
  sourceDigest = digestOfLedgerIn(source());
});
afterAll(() => fs.rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of [
    'all.age',
    'all.age.partial',
    'target',
    'target.restoring',
    'target.restoring.lock',
    'target.key',
  ])
    fs.rmSync(inFolder(name), { recursive: true, force: true });
});

type Options = { failpoint?: FailpointName; killAfterMs?: number; key?: string };

function start(args: string[], { failpoint, key = keyFile() }: Options): ChildProcess {
  return spawn(process.execPath, [process.env['GROUNDCTL_TEST_ENTRY'] ?? '', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GROUNDCTL_KEY_FILE: key,
      GROUNDCTL_TOOL_PATH: inFolder('none'),
      ...(failpoint && { GROUNDCTL_FAILPOINT: `${failpoint}:kill` }),
    },
  });
}

/** Runs a command; returns its exit code, or the signal that ended it. */
async function command(args: string[], options: Options = {}): Promise<number | string> {
  const child = start(args, options);
  const timer =
    options.killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
  child.stdout?.resume();
  child.stderr?.resume();
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(timer);
  return signal ?? code ?? -1;
}

/** Backs up into a new file: a command never replaces one. */
function backUp(options: Options = {}) {
  fs.rmSync(file(), { force: true });
  return command(['backup', '--all', file(), '--data-dir', source(), '--recipient', recipient], options);
}
const restore = (options: Options = {}) =>
  command(['restore', file(), '--data-dir', target(), '--identity-file', inFolder('identity')], {
    key: `${target()}.key`,
    ...options,
  });

/** The file does not exist, or every byte of it is right. */
async function expectNoHalfBackup(): Promise<void> {
  if (!fs.existsSync(file())) return;
  const { members } = await readBackupArchive({ file: file(), decryptWith: { identities: [identity] } });
  expect(members.length).toBe(operatorFiles + 3);
}

/** The target does not exist, or is the whole installation. Returns whether it exists. */
function expectNoHalfRestore(): boolean {
  if (!fs.existsSync(target())) return false;
  expect(digestOfLedgerIn(target())).toBe(sourceDigest);
  expect(fs.readdirSync(path.join(target(), 'recipes')).length).toBe(operatorFiles);
  expect(fs.existsSync(`${target()}.key`)).toBe(true);
  return true;
}

async function expectBackupRepeats(): Promise<void> {
  expect(await backUp()).toBe(0);
  await expectNoHalfBackup();
  expect(fs.existsSync(`${file()}.partial`)).toBe(false);
  expect(fs.existsSync(path.join(source(), 'backup-work'))).toBe(false);
  expect(digestOfLedgerIn(source())).toBe(sourceDigest);
}

async function expectRestoreRepeats(): Promise<void> {
  const isThere = expectNoHalfRestore();
  expect(await restore()).toBe(isThere ? 1 : 0);
  expect(expectNoHalfRestore()).toBe(true);
  expect(fs.existsSync(`${target()}.restoring`)).toBe(false);
}

const random = createRandom();
const times = timesOf({ quick: 1, deep: 50 });

describe('a killed backup of a stopped folder leaves no half file, and can be repeated', () => {
  test.each(['backup.copied', 'backup.written', 'backup.renamed'] as const)('at %s', async (failpoint) => {
    expect(await backUp({ failpoint })).toBe('SIGKILL');
    expect(fs.existsSync(file())).toBe(failpoint === 'backup.renamed');
    await expectNoHalfBackup();
    await expectBackupRepeats();
  });

  test(`at random moments (${times})`, { timeout: 60_000 + times * 10_000 }, async () => {
    const startedAt = performance.now();
    await expectBackupRepeats();
    const wholeMs = Math.ceil(performance.now() - startedAt);
    for (let time = 0; time < times; time += 1) {
      await backUp({ killAfterMs: random.below(wholeMs) });
      await expectNoHalfBackup();
    }
    await expectBackupRepeats();
  });
});

describe('a killed restore leaves no half folder, and can be repeated', () => {
  /** One backup for all cases. */
  const sound = () => inFolder('sound.age');
  beforeAll(async () => {
    await expectBackupRepeats();
    fs.renameSync(file(), sound());
  });
  beforeEach(() => fs.copyFileSync(sound(), file()));

  test.each(['backup.keyed', 'backup.staged', 'backup.restored'] as const)('at %s', async (failpoint) => {
    expect(await restore({ failpoint })).toBe('SIGKILL');
    expect(fs.existsSync(target())).toBe(failpoint === 'backup.restored');
    await expectRestoreRepeats();
  });

  test(`at random moments (${times})`, { timeout: 60_000 + times * 10_000 }, async () => {
    const startedAt = performance.now();
    expect(await restore()).toBe(0);
    const wholeMs = Math.ceil(performance.now() - startedAt);
    for (let time = 0; time < times; time += 1) {
      fs.rmSync(target(), { recursive: true, force: true });
      await restore({ killAfterMs: random.below(wholeMs) });
      await expectRestoreRepeats();
    }
  });
});

describe('a server that is killed during a backup', () => {
  test('leaves no file, and the next start removes its copies', async () => {
    const server = start(['serve', '--data-dir', source(), '--port', '0'], { failpoint: 'backup.copied' });
    await untilServing(server);
    const exited = once(server, 'exit');
    expect(await backUp()).toBe(1);
    expect((await exited)[1]).toBe('SIGKILL');
    expect(fs.existsSync(file())).toBe(false);
    expect(fs.readdirSync(path.join(source(), 'backup-work')).length).toBe(1);
    const next = start(['serve', '--data-dir', source(), '--port', '0'], {});
    await untilServing(next);
    expect(fs.existsSync(path.join(source(), 'backup-work'))).toBe(false);
    expect(await backUp()).toBe(0);
    await expectNoHalfBackup();
    next.kill('SIGTERM');
    await once(next, 'exit');
    sourceDigest = digestOfLedgerIn(source());
  });
});

/** Resolves when the server is ready. Its output is read to the end, because a closed pipe would end it. */
function untilServing(server: ChildProcess): Promise<void> {
  server.stderr?.resume();
  return new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server ended')));
    let printed = '';
    server.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes('Sign in once with')) resolve();
    });
  });
}
