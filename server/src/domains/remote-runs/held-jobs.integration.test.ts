import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { machineId, openHeldJobs, queueInPool } from '../../../test/held-jobs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { Secret } from '../../kernel/secret.ts';
import { createRemoteDriver } from './driver.ts';
import type { HeldJob } from './held-jobs.ts';
import { createRemoteJobsStore } from './store.ts';

const leaseMs = 50;
const clock = heldClock();
let fixture: ScheduleFixture;
let runId: string;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
  runId = queueInPool(fixture);
});
afterEach(() => fixture.close());

function open() {
  const { jobs, folders, onSilence, onOver, add } = openHeldJobs(fixture, clock, leaseMs);
  const send = () => Promise.reject(new Error('NATS is away'));
  const link = { announce: vi.fn(), sendFile: send, sendBytes: send } as never;
  const { signal: stopping } = new AbortController();
  const archivesKey = () => new Secret(Buffer.alloc(32));
  return { jobs, driver: createRemoteDriver({ jobs, link, folders, archivesKey, stopping }), onSilence, onOver, add };
}

const permit = (jobs: ReturnType<typeof open>['jobs'], job: HeldJob) => {
  const permittedAt = fixture.db.write(() => jobs.permit(job));
  jobs.notePermit(job, permittedAt);
};

describe('a job that a machine holds', () => {
  test('is lost when its lease ends without a sign of life', async () => {
    const { jobs, driver, add } = open();
    const { ticket } = add(runId).row;
    const ended = vi.fn();
    jobs.watch(runId, ended);
    expect(await driver.isAlive(runId)).toBe(true);
    clock.advance(leaseMs);
    await expect.poll(() => ended.mock.calls.length).toBeGreaterThan(0);
    expect(await driver.isAlive(runId)).toBe(false);
    await driver.withdraw(runId);
    expect(jobs.findClaimed(machineId, { jobId: runId, ticket })).toBeUndefined();
  });

  test('is reported as over when its ticket becomes void, with what was sent for it', () => {
    const { jobs, onOver, add } = open();
    const [dropped, abandoned] = [add(runId), add(queueInPool(fixture))];
    jobs.drop(dropped);
    permit(jobs, abandoned);
    expect(onOver.mock.calls).toEqual([[dropped]]);
    jobs.giveUp(abandoned);
    expect(onOver.mock.calls).toEqual([[dropped], [abandoned]]);
  });

  test('counts as a Run of its machine while the Run runs, also when nothing has been reported for long', () => {
    const { jobs, add } = open();
    const { countRunning } = createRemoteJobsStore(fixture.db);
    permit(jobs, add(runId));
    expect(countRunning()).toEqual(new Map());
    const setStatus = fixture.db.sqlite.prepare('UPDATE runs SET status = ? WHERE id = ?');
    setStatus.run('running', runId);
    clock.advance(leaseMs);
    expect(countRunning()).toEqual(new Map([[machineId, 1]]));
    setStatus.run('succeeded', runId);
    expect(countRunning()).toEqual(new Map());
  });

  test('with a permit stays with its machine, which is noted as silent and as back', async () => {
    const { jobs, driver, onSilence, add } = open();
    const job = add(runId);
    permit(jobs, job);
    clock.advance(leaseMs);
    await expect.poll(() => onSilence.mock.calls.length).toBe(1);
    expect(job.isSilent).toBe(true);
    expect(await driver.isAlive(runId)).toBe(true);
    jobs.noteSign(job);
    expect(onSilence).toHaveBeenCalledTimes(2);
    expect(job.isSilent).toBe(false);
  });

  test('with a permit is given up by the second request to end it while its machine is silent', async () => {
    const { jobs, driver, add } = open();
    const job = add(runId);
    permit(jobs, job);
    clock.advance(leaseMs);
    await expect.poll(() => job.isSilent).toBe(true);
    driver.cancel(runId);
    expect(await driver.isAlive(runId)).toBe(true);
    driver.cancel(runId);
    expect(await driver.isAlive(runId)).toBe(false);
  });

  test('is lost at once when its machine is revoked', async () => {
    const { jobs, driver, add, onSilence } = open();
    const job = add(runId);
    const ended = vi.fn();
    jobs.watch(runId, ended);
    jobs.abandon('rnr_2');
    expect(ended).not.toHaveBeenCalled();
    jobs.abandon(machineId);
    expect(ended).toHaveBeenCalled();
    jobs.noteSign(job);
    expect(await driver.isAlive(runId)).toBe(false);
    expect(onSilence).not.toHaveBeenCalled();
  });

  test('with a permit is silent for good when its machine is revoked, until a person gives it up', async () => {
    const { jobs, driver, onSilence, add } = open();
    const job = add(runId);
    permit(jobs, job);
    jobs.abandon(machineId);
    jobs.abandon(machineId);
    expect(onSilence).toHaveBeenCalledTimes(1);
    // What was on its way arrives later.
    jobs.noteSign(job);
    expect(job.isSilent).toBe(true);
    driver.cancel(runId);
    expect(await driver.isAlive(runId)).toBe(true);
    driver.cancel(runId);
    expect(await driver.isAlive(runId)).toBe(false);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  test('is known with its key after a restart of the server, with a new lease', () => {
    const key = open().add(runId).key.revealBytes();
    clock.advance(leaseMs * 10);
    const { jobs } = open();
    expect(jobs.find(runId)).toMatchObject({ isRestored: true, isLost: false });
    expect(jobs.find(runId)?.key.revealBytes()).toEqual(key);
    expect(jobs.isAlive(runId)).toBe(true);
  });

  test('is watched again when its machine reports after the end of its lease', async () => {
    const { jobs, add } = open();
    const job = add(runId);
    const ended = vi.fn();
    jobs.watch(runId, ended);
    clock.advance(leaseMs);
    await expect.poll(() => ended.mock.calls.length).toBe(1);
    jobs.noteSign(job);
    clock.advance(leaseMs);
    await expect.poll(() => ended.mock.calls.length).toBe(2);
  });
});

describe('the driver of jobs on machines', () => {
  const job = () => ({ id: runId, runId, mode: 'run', archiveDigest: `sha256:${'0'.repeat(64)}`, plan: null }) as never;

  test('gives a job up whose files could not be sent, so that it is not followed', async () => {
    const { jobs, driver, add } = open();
    const { mirror } = add(runId);
    await expect(driver.start(job())).rejects.toThrow('NATS is away');
    expect(await driver.isAlive(runId)).toBe(false);
    expect(mirror.exists()).toBe(false);
    expect(jobs.find(runId)).toBeUndefined();
  });

  test('refuses an apply whose plan files are gone, before anything is sent', async () => {
    const { jobs, driver, add } = open();
    add(runId);
    const apply = { ...(job() as object), plan: { runId: 'plan_1' }, action: null } as never;
    await expect(driver.start(apply)).rejects.toMatchObject({ code: 'input_missing', message: /Plan again/ });
    expect(jobs.find(runId)).toBeUndefined();
  });

  test('lists the jobs of ended Runs that no machine has returned for', () => {
    const { jobs, add } = open();
    add(runId);
    const later = clock.now() + 1;
    expect(jobs.listOver(later)).toEqual([]);
    fixture.domains.runs.move(runId, 'cancel');
    expect(jobs.listOver(later).map(({ row }) => row.id)).toEqual([runId]);
    expect(jobs.listOver(clock.now())).toEqual([]);
  });

  test('follows a job whose mirror was deleted from its beginning', async () => {
    const { driver, add } = open();
    const { mirror } = add(runId);
    const onRecords = vi.fn();
    const following = driver.follow(runId, { fromOffset: 0, onRecords });
    const outcome = { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' };
    mirror.append(Buffer.from(`${JSON.stringify({ t: 'outcome', at: 0, outcome })}\n`));
    expect(await following).toBe('ended');
    expect(onRecords).toHaveBeenCalledTimes(1);
  });

  test('finds a job lost that no machine holds', async () => {
    const { driver } = open();
    expect(await driver.follow(runId, { fromOffset: 0, onRecords: vi.fn() })).toBe('lost');
  });
});
