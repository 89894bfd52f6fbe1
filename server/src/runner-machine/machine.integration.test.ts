import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { createFileRunner, type FileRunner } from '../../test/runner/file-runner.ts';
import { createScriptedServer } from '../../test/runner/scripted-server.ts';
import { createLog } from '../kernel/log.ts';
import { permissionRequestFile, readPermission, requestPermission } from '../runner/contract/permission.ts';
import { type Folders, type JournalRecord, jobDir } from '../runner/index.ts';
import { type RunnerMachine, startMachine } from './machine.ts';

const tool = { name: 'tofu', version: '1.12.6' } as const;
const line = (text: string): JournalRecord => ({
  t: 'log',
  at: 0,
  phase: 'plan',
  stream: 'stdout',
  level: 'info',
  text,
});
const failed: JournalRecord = {
  t: 'outcome',
  at: 0,
  outcome: { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' },
};
const applied: JournalRecord = {
  t: 'outcome',
  at: 0,
  outcome: { kind: 'apply', succeeded: true, providerDispatched: true, unfinished: [] },
};

let server: ReturnType<typeof createScriptedServer>;
let runner: FileRunner;
let folders: Folders;
let machine: RunnerMachine;

function start(): void {
  const machineTool = { ...tool, path: '/nowhere/tofu' };
  machine = startMachine({
    link: server.link,
    runner,
    folders,
    log: createLog('silent'),
    findMachine: async () => ({ tool: machineTool, sandbox: 'bwrap' }),
    concurrency: 2,
    beatMs: 20,
  });
}

beforeEach(() => {
  const dir = tempDir();
  const inside = (name: string) => path.join(dir, name);
  folders = {
    runs: inside('runs'),
    capsules: inside('capsules'),
    archives: inside('archives'),
    providers: inside('providers'),
    mirror: undefined,
  };
  server = createScriptedServer();
  runner = createFileRunner();
  start();
});
afterEach(() => machine.stop());

const fileOf = (id: string, name: string): string => path.join(jobDir(folders, id), name);

describe('a plan on a machine', () => {
  test('is fetched, executed, and reported to its end', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    expect(supervisor.spec).toMatchObject({ runId: 'run_1', asksPermission: true, sandbox: 'bwrap' });
    expect(readFileSync(supervisor.spec.archive.path, 'utf8')).toBe('archive of run_1');
    supervisor.say(line('one'));
    supervisor.say(failed);
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
    expect(server.recordsOf('run_1').map(({ t }) => t)).toEqual(['started', 'log', 'outcome']);
    expect(readFileSync(fileOf('run_1', 'journal.ndjson'))).toEqual(job.journal);
    job.verdict = 'ended';
    await machine.drain();
    expect(existsSync(jobDir(folders, 'run_1'))).toBe(false);
  });

  test('is not on the disk with its secrets', async () => {
    server.add({ id: 'run_1', capsuleId: 'cap_1', tool, variables: { password: 'canary-1' } });
    const { spec } = await runner.awaitStart('run_1');
    expect(spec.variables).toEqual({ password: 'canary-1' });
    expect(JSON.parse(readFileSync(fileOf('run_1', 'claim.json'), 'utf8'))).toEqual({
      jobId: 'run_1',
      ticket: expect.any(String),
    });
  });

  test('sends the files that a record relies on before the record', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const { spec, say } = await runner.awaitStart('run_1');
    writeFileSync(path.join(spec.runDir, 'plan'), 'sealed plan');
    writeFileSync(path.join(spec.runDir, 'plan.json'), '{}');
    say({
      t: 'outcome',
      at: 0,
      outcome: {
        kind: 'plan',
        planFileDigest: '',
        summary: { add: 0, change: 0, destroy: 0 },
        destructive: false,
        lock: '',
        lockDigest: '',
        stateLineage: '',
        stateSerial: 0,
        projectionFile: 'plan.json',
        addresses: [],
      } as never,
    });
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
    expect([...job.files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['plan', 'sealed plan'],
      ['plan.json', '{}'],
    ]);
  });

  test('whose supervisor dies is given back', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    (await runner.awaitStart('run_1')).die();
    await server.until(() => job.reported === 'lost');
    job.verdict = 'void';
    await machine.drain();
    expect(existsSync(jobDir(folders, 'run_1'))).toBe(false);
  });

  test('that was given to another machine is ended', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    job.verdict = 'void';
    await server.until(() => supervisor.isCancelled);
    supervisor.say(failed);
    await machine.drain();
    expect(existsSync(jobDir(folders, 'run_1'))).toBe(false);
  });

  test('starts over where an earlier attempt has left its folder', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool }, { isOffered: false });
    const first = await runner.awaitStart('run_1');
    first.say(line('of the first attempt'));
    await machine.stop();
    first.die();
    job.claim.ticket = 'b'.repeat(32);
    job.journal = Buffer.alloc(0);
    start();
    (await runner.awaitStart('run_1', 2)).say(failed);
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
    expect(server.recordsOf('run_1').map(({ t }) => t)).toEqual(['started', 'outcome']);
  });

  test('is held again by a new ticket, as soon as what the old one has left is cleared', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool }, { isOffered: false });
    const first = await runner.awaitStart('run_1');
    job.claim.ticket = 'b'.repeat(32);
    job.journal = Buffer.alloc(0);
    job.reported = undefined;
    await server.until(() => job.reported === 'working' && first.isCancelled);
    expect(runner.startsOf('run_1')).toHaveLength(1);
    first.say(failed);
    (await runner.awaitStart('run_1', 2)).say(failed);
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
  });

  test('that is cancelled is interrupted', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    job.isCancelled = true;
    await server.until(() => supervisor.isCancelled);
  });

  test('is taken although the answer to its claim was lost', async () => {
    server.add({ id: 'run_1', capsuleId: 'cap_1', tool }, { isOffered: false });
    await runner.awaitStart('run_1');
  });

  test('for which this machine has another tool is given back', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool: { ...tool, version: '1.11.0' } });
    await server.until(() => job.reported === 'lost');
    expect(runner.startsOf('run_1')).toEqual([]);
  });
});

describe('an action on a machine', () => {
  test('that may have started is given back when its supervisor dies, because it is never repeated', async () => {
    const job = server.add({ id: 'run_1.0', operation: 'action', capsuleId: 'cap_1', tool });
    const { spec, die } = await runner.awaitStart('run_1.0');
    requestPermission(spec.runDir);
    await expect.poll(() => readPermission(spec.runDir)).toBe('granted');
    die();
    await server.until(() => job.reported === 'lost');
    expect(runner.startsOf('run_1.0')).toHaveLength(1);
  });

  test('is not started by a machine that lost its journal after the permit', async () => {
    const job = server.add({ id: 'run_1.0', operation: 'action', capsuleId: 'cap_1', tool }, { isOffered: false });
    const first = await runner.awaitStart('run_1.0');
    requestPermission(first.spec.runDir);
    await expect.poll(() => readPermission(first.spec.runDir)).toBe('granted');
    await machine.stop();
    first.die();
    rmSync(fileOf('run_1.0', 'journal.ndjson'));
    start();
    await server.until(() => job.reported === 'lost');
    expect(runner.startsOf('run_1.0')).toHaveLength(1);
  });
});

describe('the journal of a job', () => {
  test('arrives whole although pieces are lost on their way', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    await server.until(() => job.journal.length > 0);
    server.faults.lostPieces = 2;
    supervisor.say(line('one'));
    supervisor.say(failed);
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
    expect(readFileSync(fileOf('run_1', 'journal.ndjson'))).toEqual(job.journal);
  });

  test('waits while there is no connection', async () => {
    server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    server.faults.isOffline = true;
    supervisor.say(failed);
    server.faults.isOffline = false;
    server.wake();
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
  });

  test('continues after a restart of the machine, from where the server is', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    await server.until(() => job.journal.length > 0);
    await machine.stop();
    supervisor.say(line('later'));
    start();
    supervisor.say(failed);
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'outcome'));
    expect(server.recordsOf('run_1').map(({ t }) => t)).toEqual(['started', 'log', 'outcome']);
    expect(runner.startsOf('run_1')).toHaveLength(1);
  });

  test('continues after a restart of the machine while the server has a part of a line', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    supervisor.say(line('one'));
    await server.until(() => server.recordsOf('run_1').some(({ t }) => t === 'log'));
    await machine.stop();
    job.journal = job.journal.subarray(0, -5);
    start();
    supervisor.say(failed);
    await server.until(() => job.journal.includes('"outcome"'));
    expect(job.journal).toEqual(readFileSync(fileOf('run_1', 'journal.ndjson')));
    expect(job.reported).toBe('working');
  });

  test('sends its files again after a restart of the machine when a promoted server has none', async () => {
    const job = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const supervisor = await runner.awaitStart('run_1');
    writeFileSync(path.join(supervisor.spec.runDir, 'state-1-ab.tfstate'), 'sealed state');
    supervisor.say({ t: 'state', at: 0, file: 'state-1-ab.tfstate' } as JournalRecord);
    await server.until(() => job.files.size === 1);
    await machine.stop();
    start();
    await server.until(() => job.reported === 'working');
    job.files.clear();
    job.journal = Buffer.alloc(0);
    await server.until(() => job.files.size === 1);
    expect(job.journal).toEqual(readFileSync(fileOf('run_1', 'journal.ndjson')));
  });
});

describe('an apply on a machine', () => {
  const apply = { operation: 'apply' as const, capsuleId: 'cap_1', tool };

  test('gets the files of its plan', async () => {
    const plan = { runId: 'run_1', digest: 'sha256:1', addresses: [], changes: [] };
    const planFiles = [{ name: 'plan', bytes: Buffer.from('sealed plan') }];
    server.add({ id: 'run_2', ...apply, plan }, { planFiles });
    const { spec } = await runner.awaitStart('run_2');
    expect(readFileSync(path.join(spec.plan?.runDir ?? '', 'plan'), 'utf8')).toBe('sealed plan');
  });

  test.each(['granted', 'refused'] as const)('that asks gets the answer of the ledger: %s', async (answer) => {
    if (answer === 'refused') server.refusePermits();
    const job = server.add({ id: 'run_2', ...apply });
    const { spec } = await runner.awaitStart('run_2');
    requestPermission(spec.runDir);
    await expect.poll(() => readPermission(spec.runDir)).toBe(answer);
    expect(job.permits).toBe(1);
  });

  test('that was permitted is taken over when its supervisor dies', async () => {
    server.add({ id: 'run_2', ...apply });
    const first = await runner.awaitStart('run_2');
    requestPermission(first.spec.runDir);
    await expect.poll(() => readPermission(first.spec.runDir)).toBe('granted');
    first.die();
    const second = await runner.awaitStart('run_2', 2);
    expect(second.spec.mode).toBe('adopt');
    second.say(applied);
    await server.until(() => server.recordsOf('run_2').some(({ t }) => t === 'outcome'));
  });

  test('that was permitted is taken over although the server was out of reach when its supervisor died', async () => {
    const job = server.add({ id: 'run_2', ...apply });
    const first = await runner.awaitStart('run_2');
    requestPermission(first.spec.runDir);
    await expect.poll(() => readPermission(first.spec.runDir)).toBe('granted');
    server.faults.fetches = 1;
    first.die();
    const second = await runner.awaitStart('run_2', 2);
    expect(second.spec.mode).toBe('adopt');
    expect(job.reported).not.toBe('lost');
  });

  test('that was not permitted is given back when its supervisor dies', async () => {
    const job = server.add({ id: 'run_2', ...apply });
    const supervisor = await runner.awaitStart('run_2');
    supervisor.die();
    await server.until(() => job.reported === 'lost');
    expect(existsSync(permissionRequestFile(supervisor.spec.runDir))).toBe(false);
  });

  test('is not given up while its tool works, however often no supervisor could take it over', async () => {
    const job = server.add({ id: 'run_2', ...apply });
    const first = await runner.awaitStart('run_2');
    requestPermission(first.spec.runDir);
    await expect.poll(() => readPermission(first.spec.runDir)).toBe('granted');
    mkdirSync(first.spec.capsuleDir, { recursive: true });
    writeFileSync(path.join(first.spec.capsuleDir, 'owner.json'), JSON.stringify({ runId: 'run_2' }));
    runner.isApplying = true;
    for (let count = 1; count <= 4; count += 1) (await runner.awaitStart('run_2', count)).die();
    const last = await runner.awaitStart('run_2', 5);
    expect(job.reported).toBe('working');
    runner.isApplying = false;
    last.die();
    await server.until(() => job.reported === 'lost');
  });

  test('waits until the folder of its plan is deleted, and fetches its files again', async () => {
    const planned = server.add({ id: 'run_1', capsuleId: 'cap_1', tool });
    const planner = await runner.awaitStart('run_1');
    writeFileSync(fileOf('run_1', 'plan'), 'sealed plan');
    const plan = { runId: 'run_1', digest: 'sha256:1', addresses: [], changes: [] };
    const planFiles = [{ name: 'plan', bytes: Buffer.from('sealed plan') }];
    server.add({ id: 'run_2', ...apply, plan }, { planFiles });
    planner.say(failed);
    planned.verdict = 'ended';
    const { spec } = await runner.awaitStart('run_2');
    expect(existsSync(fileOf('run_1', 'claim.json'))).toBe(false);
    expect(readFileSync(path.join(spec.plan?.runDir ?? '', 'plan'), 'utf8')).toBe('sealed plan');
  });

  test('that was permitted keeps its folder when a person has given it up', async () => {
    const job = server.add({ id: 'run_2', ...apply });
    const supervisor = await runner.awaitStart('run_2');
    requestPermission(supervisor.spec.runDir);
    await expect.poll(() => readPermission(supervisor.spec.runDir)).toBe('granted');
    job.verdict = 'void';
    await server.until(() => supervisor.isCancelled);
    supervisor.say(applied);
    await machine.drain();
    expect(existsSync(fileOf('run_2', 'journal.ndjson'))).toBe(true);
  });

  /** A permitted apply that a person has ended, and whose machine has states of it. */
  async function giveUpWithStates() {
    const job = server.add({ id: 'run_2', ...apply });
    const supervisor = await runner.awaitStart('run_2');
    requestPermission(supervisor.spec.runDir);
    await expect.poll(() => readPermission(supervisor.spec.runDir)).toBe('granted');
    for (const name of ['apply.json', ...['1', '2', '3'].map((n) => `state-00000${n}-0000000${n}.tfstate`)])
      writeFileSync(fileOf('run_2', name), name);
    return { job, supervisor };
  }

  test('that was given up brings its newest states, and is deleted when the server has them', async () => {
    const { job, supervisor } = await giveUpWithStates();
    job.wantsLate = true;
    job.verdict = 'void';
    await server.until(() => supervisor.isCancelled);
    supervisor.say(applied);
    await server.until(() => job.late.size > 0);
    expect([...job.late.keys()]).toEqual([
      'apply.json',
      'state-000002-00000002.tfstate',
      'state-000003-00000003.tfstate',
    ]);
    await machine.drain();
    expect(existsSync(jobDir(folders, 'run_2'))).toBe(false);
  });

  test('that was given up keeps its states while the server does not want them, and brings them after a restart', async () => {
    const { job, supervisor } = await giveUpWithStates();
    job.verdict = 'void';
    await server.until(() => supervisor.isCancelled);
    supervisor.say(applied);
    await machine.drain();
    expect(existsSync(fileOf('run_2', 'apply.json'))).toBe(true);
    await machine.stop();
    job.wantsLate = true;
    start();
    await server.until(() => job.late.size > 0);
    await machine.drain();
    expect(existsSync(jobDir(folders, 'run_2'))).toBe(false);
  });
});
