import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openHeldJobs, queueInPool } from '../../../test/held-jobs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { Secret } from '../../kernel/secret.ts';
import type { JournalRecord } from '../../runner/index.ts';
import { createRemoteDriver } from './driver.ts';
import type { PoolsLink } from './link.ts';

const clock = heldClock();
let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
});
afterEach(() => fixture.close());

const line = (record: object): Buffer => Buffer.from(`${JSON.stringify(record)}\n`);
const log = { t: 'log', at: 1, phase: 'plan', stream: 'stdout', level: 'info', text: 'one' };
const elsewhere = {
  kind: 'plan',
  planFileDigest: `sha256:${'0'.repeat(64)}`,
  summary: { add: 0, change: 0, destroy: 0 },
  destructive: false,
  lock: '',
  lockDigest: `sha256:${'0'.repeat(64)}`,
  stateLineage: '',
  stateSerial: 0,
  projectionFile: '../../../../../dev/zero',
  addresses: [],
};

/** A job whose machine works on it, with a journal in its mirror. */
function open(...records: object[]) {
  const { jobs, folders, add } = openHeldJobs(fixture, clock);
  const job = add(queueInPool(fixture));
  job.mirror.create();
  for (const record of records) job.mirror.append(line(record));
  const driver = createRemoteDriver({
    jobs,
    folders,
    link: {} as PoolsLink,
    archivesKey: () => new Secret(Buffer.alloc(32)),
    stopping: new AbortController().signal,
  });
  const onRecords = vi.fn<(records: JournalRecord[]) => void>();
  return { jobs, job, onRecords, follow: () => driver.follow(job.row.id, { fromOffset: 0, onRecords }) };
}

describe('the journal of a machine', () => {
  test.each([
    ['a document in another folder', { t: 'outcome', at: 1, outcome: elsewhere }],
    ['an error code that no Run has', { t: 'outcome', at: 1, outcome: { kind: 'failed', errorCode: 'x', phase: 'x' } }],
    ['a line without a bound', { ...log, text: 'x'.repeat(1_000_000) }],
  ])('with %s is damaged, and its machine is not awaited any more', async (_what, record) => {
    const { jobs, job, onRecords, follow } = open(record);
    await expect(follow()).rejects.toMatchObject({ code: 'journal_corrupt' });
    expect(onRecords).not.toHaveBeenCalled();
    expect(jobs.isAlive(job.row.id)).toBe(false);
  });

  test('of a permitted apply that is damaged leaves the state that it reached to its machine', async () => {
    const { jobs, job, follow } = open({ ...log, t: 'note' });
    jobs.notePermit(
      job,
      fixture.db.write(() => jobs.permit(job)),
    );
    const { id: jobId, ticket, machineId } = job.row;
    await expect(follow()).rejects.toMatchObject({ code: 'journal_corrupt' });
    expect([jobs.find(jobId), jobs.findEnded(machineId, { jobId, ticket })]).toEqual([undefined, expect.anything()]);
  });

  test('that the ledger cannot take now is still awaited', async () => {
    const { jobs, job, onRecords, follow } = open(log, {
      t: 'outcome',
      at: 1,
      outcome: { kind: 'action', succeeded: true },
    });
    onRecords.mockImplementation(() => {
      throw Object.assign(new Error('the ledger is busy'), { code: 'SQLITE_BUSY' });
    });
    await expect(follow()).rejects.toThrow('the ledger is busy');
    expect(jobs.isAlive(job.row.id)).toBe(true);
  });

  test('is followed to its outcome', async () => {
    const outcome = { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' };
    const records = [log, { t: 'outcome', at: 1, outcome }];
    const { onRecords, follow } = open(...records);
    expect(await follow()).toBe('ended');
    expect(onRecords.mock.calls.flatMap(([taken]) => taken)).toEqual(records);
  });
});
