import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { machineId, openHeldJobs, queueInPool } from '../../../test/held-jobs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { createRunKey, sealBox } from '../../drivers/nats/index.ts';
import { encodePiece, journalFile, type RunFile } from '../../runner/index.ts';
import type { HeldJob } from './held-jobs.ts';
import type { SealedPiece } from './piece-queue.ts';
import { createPieceIntake } from './pieces.ts';

const clock = heldClock();
const line = (text: string): string => `${JSON.stringify({ t: 'log', text })}\n`;
let fixture: ScheduleFixture;
let runId: string;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
  runId = queueInPool(fixture);
});
afterEach(() => fixture.close());

type Limits = Pick<Parameters<typeof createPieceIntake>[0], 'mirrorMaxBytes' | 'waitingMaxBytes'>;

/** Opens what a server has after its start. `sent`: content of the files on their way, by digest. */
function open(sent = new Map<string, string>(), limits: Limits = {}) {
  const opened = openHeldJobs(fixture, clock);
  const over = new Set<string>();
  const fetchFile = vi.fn(async ({ digest }: { digest: string }, { file }: { file: string }) => {
    const content = sent.get(digest);
    if (content === undefined) throw new Error('A part of the file is not in NATS.');
    writeFileSync(file, content);
  });
  const deleteFile = vi.fn(async (_from: { digest: string }, _options: object) => {});
  const intake = createPieceIntake({
    refusals: { note: () => {} },
    jobs: opened.jobs,
    link: { fetchFile, deleteFile },
    isOpen: ({ row }) => !over.has(row.runId),
    stopping: new AbortController().signal,
    ...limits,
  });
  const take = async (...pieces: SealedPiece[]) => {
    for (const piece of pieces) intake.add(piece);
    await intake.settle();
  };
  return { ...opened, take, fetchFile, deleteFile, sent, over };
}

function start(limits: Limits = {}) {
  const server = open(undefined, limits);
  const job = server.add(runId);
  job.mirror.create();
  return { ...server, job, read: () => readFileSync(journalFile(job.mirror.dir), 'utf8') };
}

function piece({ row, key }: HeldJob, offset: number, text: string, files: readonly RunFile[] = []): SealedPiece {
  const { id: jobId, ticket } = row;
  const content = encodePiece({ files, bytes: Buffer.from(text) });
  return { machineId, jobId, ticket, offset, sealed: sealBox(key, { kind: 'piece', jobId, ticket, offset }, content) };
}

function fileOf(name: string, content: string, sent: Map<string, string>): RunFile {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  sent.set(digest, content);
  return { name, digest, sizeBytes: content.length };
}

describe('pieces of a journal', () => {
  test('are taken in their order, each once, and none after a gap', async () => {
    const { take, job, read } = start();
    const [one, two] = [line('one'), line('two')];
    const first = piece(job, 0, one);
    await take(first, piece(job, one.length + two.length, line('three')), first, piece(job, one.length, two), first);
    expect(read()).toBe(one + two);
  });

  test('go on after a restart of the server in the middle, whose damage is cut off', async () => {
    const { take, job } = start();
    const [one, two] = [line('one'), line('two')];
    await take(piece(job, 0, one + two.slice(0, 5)));
    const again = open();
    const offset = again.jobs.find(runId)?.mirror.length() ?? -1;
    expect(offset).toBe(one.length);
    await again.take(piece(job, offset, two));
    expect(readFileSync(journalFile(job.mirror.dir), 'utf8')).toBe(one + two);
  });

  test('of another machine, ticket, key or position are not taken', async () => {
    const { take, job, read } = start();
    const good = piece(job, 0, line('one'));
    const { row } = job;
    await take(
      { ...good, machineId: 'rnr_2' },
      { ...good, ticket: 'b'.repeat(32) },
      { ...good, jobId: `${runId}.0` },
      piece({ ...job, key: createRunKey() }, 0, line('other key')),
      { ...piece(job, 5, line('moved')), offset: 0 },
      piece({ ...job, row: { ...row, ticket: 'b'.repeat(32) } }, 0, line('other ticket')),
    );
    expect(read()).toBe('');
  });

  test('are taken although another machine floods the job with its own', async () => {
    const { take, job, read } = start();
    const good = piece(job, 0, line('one'));
    const flood = Array.from({ length: 100 }, () => ({ ...good, machineId: 'rnr_2' }));
    await take(...flood, good);
    expect(read()).toBe(line('one'));
  });

  test('are not taken when their job is given to another machine while a file is on its way', async () => {
    const { take, job, sent, add, fetchFile } = start();
    const plan = fileOf('plan', 'of the first machine', sent);
    fetchFile.mockImplementationOnce(async (_from, { file }) => {
      add(runId).mirror.create();
      writeFileSync(path.join(job.mirror.dir, 'plan'), 'of the second machine');
      writeFileSync(file, 'of the first machine');
    });
    await take(piece(job, 0, line('one'), [plan]));
    expect(readFileSync(journalFile(job.mirror.dir), 'utf8')).toBe('');
    expect(readFileSync(path.join(job.mirror.dir, 'plan'), 'utf8')).toBe('of the second machine');
    expect(readdirSync(job.mirror.dir).filter((name) => name.startsWith('plan'))).toEqual(['plan']);
  });

  test('of a job that is over are not taken, so that a reviewed plan stays as it is', async () => {
    const { take, job, read, sent, over } = start();
    const one = line('one');
    await take(piece(job, 0, one, [fileOf('plan', 'reviewed', sent)]));
    over.add(runId);
    await take(piece(job, one.length, line('two'), [fileOf('plan', 'another', sent)]));
    expect(read()).toBe(one);
    expect(readFileSync(path.join(job.mirror.dir, 'plan'), 'utf8')).toBe('reviewed');
  });

  test('keep the newest states, and those that the newest piece names', async () => {
    const { take, job, sent } = start();
    const nameOf = (serial: number) => `state-${String(serial).padStart(6, '0')}-0a1b2c3d.tfstate`;
    let offset = 0;
    for (const serial of [999_998, 999_999, 1_000_000, 1_000_001, 1_000_002, 3]) {
      await take(piece(job, offset, line('state'), [fileOf(nameOf(serial), `state ${serial}`, sent)]));
      offset += line('state').length;
    }
    const stored = readdirSync(job.mirror.dir).filter((name) => name.startsWith('state-'));
    expect(stored.sort()).toEqual([3, 999_999, 1_000_000, 1_000_001, 1_000_002].map(nameOf).sort());
  });

  test('with more bytes of files than a job may have end the wait for its machine', async () => {
    const { take, job, jobs, read, sent } = start({ mirrorMaxBytes: 100 });
    const one = line('one');
    await take(piece(job, 0, one, [fileOf('plan', 'x'.repeat(60), sent)]));
    expect(jobs.isAlive(runId)).toBe(true);
    await take(piece(job, one.length, line('two'), [fileOf('plan.json', 'x'.repeat(60), sent)]));
    expect(read()).toBe(one);
    expect(existsSync(path.join(job.mirror.dir, 'plan.json'))).toBe(false);
    expect(jobs.isAlive(runId)).toBe(false);
  });

  test.each([
    ['its machine', { machine: 1_000, all: 10_000 }],
    ['all machines', { machine: 10_000, all: 1_000 }],
  ])('that would exceed the waiting bytes of %s are dropped, and are taken when they come again', async (_, max) => {
    const { take, job, read } = start({ waitingMaxBytes: max });
    const [one, two] = [line('1'.repeat(500)), line('2'.repeat(500))];
    await take(piece(job, 0, one), piece(job, one.length, two));
    expect(read()).toBe(one);
    await take(piece(job, one.length, two));
    expect(read()).toBe(one + two);
  });

  test('of a job without a mirror are not taken', async () => {
    const { take, add } = open();
    const job = add(runId);
    await take(piece(job, 0, line('one')));
    expect(existsSync(job.mirror.dir)).toBe(false);
  });

  test('are a sign of life, also when they are here already', async () => {
    const { take, job } = start();
    clock.advance(20);
    await take(piece(job, 7, line('gap')));
    expect(job.seenAt).toBe(clock.now());
  });
});

describe('files of a piece', () => {
  test('are here before its records, and are fetched once', async () => {
    const { take, job, read, sent, fetchFile } = start();
    const files = [fileOf('plan', 'sealed plan', sent), fileOf('plan.json', '{}', sent)];
    await take(piece(job, 0, line('one'), files));
    expect(readFileSync(path.join(job.mirror.dir, 'plan.json'), 'utf8')).toBe('{}');
    await take(piece(job, line('one').length, line('two'), files));
    expect(fetchFile).toHaveBeenCalledTimes(2);
    expect(read()).toBe(line('one') + line('two'));
  });

  test('are fetched one after the other, because much of each is in memory', async () => {
    const { take, job, sent, fetchFile } = start();
    let underWay = 0;
    let most = 0;
    fetchFile.mockImplementation(async (_from, { file }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      writeFileSync(file, '');
      underWay -= 1;
    });
    const states = [1, 2, 3].map((serial) => fileOf(`state-00000${serial}-0a1b2c3d.tfstate`, `state ${serial}`, sent));
    await take(piece(job, 0, line('one'), states));
    expect([fetchFile.mock.calls.length, most]).toEqual([3, 1]);
  });

  test('that are sent again although they are here are deleted on their way', async () => {
    const { take, job, sent, deleteFile, fetchFile } = start();
    const file = fileOf('plan', 'sealed plan', sent);
    const { name: _name, ...from } = file;
    const first = piece(job, 0, line('one'), [file]);
    await take(first);
    expect(deleteFile).not.toHaveBeenCalled();
    await take(first, piece(job, line('one').length, line('two'), [file]));
    expect(fetchFile).toHaveBeenCalledOnce();
    expect(deleteFile.mock.calls.map(([named, options]) => [named, options])).toEqual(
      Array(2).fill([from, { machineId, key: job.key, direction: 'out' }]),
    );
  });

  test('are reported as on their way while they are fetched, so that nothing is sent again', async () => {
    const { take, job, sent, fetchFile } = start();
    const seen: boolean[] = [];
    fetchFile.mockImplementationOnce(async (_from, { file }) => {
      seen.push(job.isFetching);
      writeFileSync(file, '');
    });
    fetchFile.mockRejectedValueOnce(new Error('A part of the file is not in NATS.'));
    await take(piece(job, 0, line('one'), [fileOf('plan', 'x', sent), fileOf('plan.json', 'y', sent)]));
    expect([...seen, job.isFetching]).toEqual([true, false]);
  });

  test('that did not arrive keep the piece away, and it is taken when it comes again', async () => {
    const { take, job, read, sent } = start();
    const file = fileOf('plan', 'sealed plan', sent);
    sent.clear();
    await take(piece(job, 0, line('one'), [file]));
    expect(read()).toBe('');
    sent.set(file.digest, 'sealed plan');
    await take(piece(job, 0, line('one'), [file]));
    expect(read()).toBe(line('one'));
  });

  test.each([
    '../plan',
    '/tmp/plan',
    'journal.ndjson',
    'claim.json',
    'supervisor.json',
    'permission',
    'plan/../../x.tfstate',
    'state-..tfstate',
    'built/../../../x.tar',
    '.',
    '',
    'x'.repeat(199),
  ])('named %j are refused with their piece', async (name) => {
    const { take, job, read, sent, fetchFile } = start();
    await take(piece(job, 0, line('one'), [fileOf(name, 'x', sent)]));
    expect(fetchFile).not.toHaveBeenCalled();
    expect(read()).toBe('');
  });

  test('that are too large, too many or of another form are refused with their piece', async () => {
    const { take, job, read, sent, fetchFile } = start();
    const good = fileOf('plan', 'x', sent);
    await take(
      piece(job, 0, line('large'), [{ ...good, sizeBytes: 536_870_913 }]),
      piece(job, 0, line('negative'), [{ ...good, sizeBytes: -1 }]),
      piece(job, 0, line('digest'), [{ ...good, digest: 'sha256:../..' }]),
      piece(job, 0, line('more'), [{ ...good, link: '/etc/passwd' } as never]),
      piece(job, 0, line('many'), Array(65).fill(good)),
    );
    expect(fetchFile).not.toHaveBeenCalled();
    expect(read()).toBe('');
  });

  test('whose place is a folder keep their piece away and harm no other job', async () => {
    const { take, job, read, sent } = start();
    mkdirSync(path.join(job.mirror.dir, 'plan'));
    await take(piece(job, 0, line('one'), [fileOf('plan', 'x', sent)]));
    expect(read()).toBe('');
    await take(piece(job, 0, line('one')));
    expect(read()).toBe(line('one'));
  });
});
