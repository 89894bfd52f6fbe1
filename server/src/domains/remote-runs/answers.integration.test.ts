import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { claimOf, machineId, openHeldJobs, poolId, queueApplyInPool, queueInPool } from '../../../test/held-jobs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { createLog } from '../../kernel/log.ts';
import type { JobInput } from '../../runner/index.ts';
import { createAnswers } from './answers.ts';
import type { HeldJob } from './held-jobs.ts';

const leaseMs = 50;
const clock = heldClock();
const machine = { id: machineId, poolId };
const other = { id: 'rnr_2', poolId };
let fixture: ScheduleFixture;
let runId: string;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
  runId = queueInPool(fixture);
});
afterEach(() => fixture.close());

const noRebuild = (): Promise<never> => Promise.reject(new Error('not part of this test'));

/** Opens what a server has after its start. */
function open(rebuildJob: () => Promise<never> = noRebuild) {
  const { jobs } = openHeldJobs(fixture, clock, leaseMs);
  const markStarted = vi.fn();
  const clear = vi.fn(jobs.drop);
  const withdrawOffer = vi.fn();
  const answers = createAnswers({
    db: fixture.db,
    log: createLog('silent'),
    jobs,
    queue: { claim: claimOf(fixture, clock) },
    runs: fixture.domains.runs,
    withdrawOffer,
    rebuildJob,
    prepare: () => Promise.reject(new Error('not part of this test')),
    isActionOver: () => false,
    markStarted,
    clear,
  });
  return { jobs, answers, markStarted, clear, withdrawOffer };
}

function claimed(answers: ReturnType<typeof open>['answers']) {
  const claim = answers.claim(machine, runId);
  if (!claim) throw new Error('the Run was not claimed');
  return claim;
}
const statusOf = (id: string) => fixture.domains.runs.getRecord(id).status;
const cancel = () => fixture.domains.runs.extendInput(fixture.domains.runs.getCapsuleRun(runId), { cancelledBy: 'u' });

describe('a claim', () => {
  test('gives a Run to the first machine only', () => {
    const { answers } = open();
    expect(claimed(answers).jobId).toBe(runId);
    expect(statusOf(runId)).toBe('running');
    expect(answers.claim(other, runId)).toBeUndefined();
    expect(answers.claim(machine, runId)).toBeUndefined();
  });

  test('whose job cannot be recorded leaves the Run in the queue', () => {
    const { answers, jobs } = open();
    const add = vi.spyOn(jobs, 'add').mockImplementation(() => {
      throw new Error('no disk');
    });
    expect(() => answers.claim(machine, runId)).toThrow('no disk');
    expect([statusOf(runId), jobs.find(runId)]).toEqual(['queued', undefined]);
    add.mockRestore();
    expect(claimed(answers).jobId).toBe(runId);
  });

  test('has nothing of the journal of an earlier attempt', () => {
    const { answers, jobs } = open();
    claimed(answers);
    jobs.find(runId)?.mirror.create();
    jobs.find(runId)?.mirror.append(Buffer.from('{}\n'));
    fixture.domains.runs.move(runId, 'requeue', { set: { journalOffset: 0 } });
    claimed(answers);
    expect(jobs.find(runId)?.mirror.exists()).toBe(false);
  });

  test('of another pool gets nothing', () => {
    const { answers, jobs } = open();
    expect(answers.claim({ ...machine, poolId: 'pool_2' }, runId)).toBeUndefined();
    expect(jobs.find(runId)).toBeUndefined();
    expect(statusOf(runId)).toBe('queued');
  });

  test('of a Run whose Capsule is busy leaves no job, and the Run is offered again', () => {
    const { answers, jobs, withdrawOffer } = open();
    claimed(answers);
    const { capsuleId } = fixture.domains.runs.getCapsuleRun(runId);
    const waiting = queueInPool(fixture, capsuleId);
    expect(answers.claim(other, waiting)).toBeUndefined();
    expect(jobs.find(waiting)).toBeUndefined();
    expect(withdrawOffer).toHaveBeenLastCalledWith(waiting);
  });
});

describe('a permit', () => {
  beforeEach(() => {
    runId = queueApplyInPool(fixture);
  });

  test('is refused for a plan, which nothing may start', () => {
    runId = queueInPool(fixture);
    const { answers, jobs, markStarted } = open();
    expect(answers.permit(machineId, claimed(answers))?.answer).toBe('refused');
    expect(markStarted).not.toHaveBeenCalled();
    expect(jobs.find(runId)?.row.permittedAt).toBeNull();
  });

  test('is given as often as its machine asks, also after a restart, and to no other ticket', () => {
    const { answers, jobs, markStarted } = open();
    const claim = claimed(answers);
    expect(answers.permit(machineId, claim)?.answer).toBe('granted');
    expect(answers.permit(machineId, claim)?.answer).toBe('granted');
    expect(markStarted).toHaveBeenCalledTimes(2);
    const { permittedAt } = jobs.find(runId)?.row ?? {};
    expect(permittedAt).toBe(clock.now());
    const restarted = open();
    expect(restarted.answers.permit(machineId, claim)?.answer).toBe('granted');
    expect(restarted.jobs.find(runId)?.row.permittedAt).toBe(permittedAt);
    expect(answers.permit(machineId, { ...claim, ticket: 'b'.repeat(32) })).toBeUndefined();
    expect(answers.permit(other.id, claim)).toBeUndefined();
  });

  test('is refused for a Run that was cancelled before', () => {
    const { answers } = open();
    const claim = claimed(answers);
    cancel();
    expect(answers.permit(machineId, claim)?.answer).toBe('refused');
  });

  test('stays given when the Run is cancelled after it', () => {
    const { answers } = open();
    const claim = claimed(answers);
    answers.permit(machineId, claim);
    cancel();
    expect(answers.permit(machineId, claim)?.answer).toBe('granted');
  });

  test('that could not be recorded does not count', () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    const fault = vi.spyOn(fixture.db, 'write').mockImplementationOnce((work) => {
      const roll = fixture.db.sqlite.transaction(() => {
        work();
        throw new Error('disk full');
      });
      return roll() as never;
    });
    expect(() => answers.permit(machineId, claim)).toThrow('disk full');
    fault.mockRestore();
    expect(jobs.find(runId)?.row.permittedAt).toBeNull();
    expect(answers.permit(machineId, claim)?.answer).toBe('granted');
    expect(open().jobs.find(runId)?.row.permittedAt).not.toBeNull();
  });

  test('is not given to a job that its machine has reported as lost', () => {
    const { answers, markStarted } = open();
    const claim = claimed(answers);
    answers.beat(machineId, [{ ...claim, state: 'lost' }]);
    expect(answers.permit(machineId, claim)).toBeUndefined();
    expect(markStarted).not.toHaveBeenCalled();
  });

  test('is not given when the Run is queued again', () => {
    const { answers } = open();
    const claim = claimed(answers);
    fixture.domains.runs.move(runId, 'requeue', { set: { journalOffset: 0 } });
    expect(answers.permit(machineId, claim)).toBeUndefined();
    const again = claimed(answers);
    expect(answers.permit(machineId, claim)).toBeUndefined();
    expect(answers.permit(machineId, again)?.answer).toBe('granted');
  });
});

describe('a job that is being prepared', () => {
  const input = { job: { digest: 'sha256:0', sizeBytes: 1 } } as JobInput;

  test('is handed over as soon as its input is there, without another question', async () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    const answer = answers.resume(machineId, claim);
    const held = jobs.find(runId);
    if (held) jobs.provide(held, input);
    expect(await answer).toMatchObject({ handed: { input }, offset: 0 });
  });

  test('is answered at once to a machine whose earlier question is still open', async () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    const first = answers.resume(machineId, claim);
    expect(await answers.resume(machineId, claim)).toBe('pending');
    const held = jobs.find(runId);
    if (held) jobs.provide(held, input);
    expect(await first).toMatchObject({ handed: { input } });
  });

  test('is not handed over when its ticket became void while its machine waited', async () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    const answer = answers.resume(machineId, claim);
    const held = jobs.find(runId);
    if (held) jobs.drop(held);
    expect(await answer).toBeUndefined();
  });
});

describe('a job of an earlier server', () => {
  /** Claims an apply that its server begins to hand over, and then stops. */
  function handOver() {
    runId = queueApplyInPool(fixture);
    const { answers, jobs } = open();
    const claim = claimed(answers);
    jobs.find(runId)?.mirror.create();
    return claim;
  }

  test.each(['ENOENT', 'input_missing'])('is handed over without its files when they are gone (%s)', async (code) => {
    const claim = handOver();
    const { answers } = open(() => Promise.reject(Object.assign(new Error('gone'), { code })));
    expect(await answers.resume(machineId, claim)).toMatchObject({ handed: { runKey: expect.any(String) } });
  });

  test('is prepared again after any other failure', async () => {
    const claim = handOver();
    const rebuildJob = vi.fn(() => Promise.reject(new Error('NATS is away')));
    const { answers } = open(rebuildJob);
    expect(await answers.resume(machineId, claim)).toBe('pending');
    expect(rebuildJob).toHaveBeenCalledTimes(2);
  });

  test('that was not handed over waits for what comes before it, such as the actions of a destroy', async () => {
    runId = queueApplyInPool(fixture);
    const claim = claimed(open().answers);
    const rebuildJob = vi.fn(noRebuild);
    const { answers, jobs } = open(rebuildJob);
    const answer = answers.resume(machineId, claim);
    expect(rebuildJob).not.toHaveBeenCalled();
    const input = { job: { digest: 'sha256:0', sizeBytes: 1 } } as JobInput;
    jobs.provide(jobs.find(runId) as HeldJob, input);
    expect(await answer).toMatchObject({ handed: { input } });
  });
});

describe('a beat', () => {
  test('renews the lease of a held job, and reports how much of its journal is here', () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    jobs.find(runId)?.mirror.create();
    jobs.find(runId)?.mirror.append(Buffer.from('{}\n'));
    clock.advance(leaseMs - 1);
    expect(answers.beat(machineId, [{ ...claim, state: 'working' }])).toEqual([
      { ...claim, state: 'held', offset: 3, isCancelled: false },
    ]);
    clock.advance(leaseMs - 1);
    expect(jobs.isAlive(runId)).toBe(true);
    clock.advance(1);
    expect(jobs.isAlive(runId)).toBe(false);
  });

  test('learns that a Run was cancelled, and has ended', () => {
    const { answers } = open();
    const claim = claimed(answers);
    const verdict = () => answers.beat(machineId, [{ ...claim, state: 'working' }])[0];
    cancel();
    expect(verdict()).toMatchObject({ state: 'held', isCancelled: true });
    fixture.domains.runs.move(runId, 'cancel');
    expect(verdict()).toMatchObject({ state: 'ended' });
  });

  test('that no longer names a permitted job gives it up, unless it was sent before the permit', () => {
    runId = queueApplyInPool(fixture);
    const { answers, jobs } = open();
    const claim = claimed(answers);
    expect(answers.permit(machineId, claim)?.answer).toBe('granted');
    expect(answers.beat(machineId, [], { isNewest: false })).toEqual([]);
    expect(jobs.isAlive(runId)).toBe(true);
    expect(answers.beat(machineId, [])).toEqual([]);
    expect(jobs.isAlive(runId)).toBe(false);
  });

  test('learns that the server fetches a file of a job', () => {
    const { answers, jobs } = open();
    const claim = claimed(answers);
    const beat = () => answers.beat(machineId, [{ ...claim, state: 'working' }])[0];
    expect(beat()).not.toHaveProperty('isFetching');
    const held = jobs.find(runId);
    if (held) held.isFetching = true;
    expect(beat()).toMatchObject({ isFetching: true });
  });

  test('learns of a job whose claim was not answered, and that an unknown one is void', () => {
    const { answers } = open();
    const claim = claimed(answers);
    const unknown = { jobId: 'plan_0', ticket: 'c'.repeat(32) };
    expect(answers.beat(machineId, [{ ...unknown, state: 'working' }])).toEqual([
      expect.objectContaining({ ...unknown, state: 'void' }),
      expect.objectContaining({ ...claim, state: 'held' }),
    ]);
    expect(answers.beat(other.id, [{ ...claim, state: 'working' }])).toEqual([
      expect.objectContaining({ ...claim, state: 'void' }),
    ]);
  });

  test('that names an earlier attempt learns of the attempt that counts', () => {
    const { answers } = open();
    const earlier = claimed(answers);
    fixture.domains.runs.move(runId, 'requeue', { set: { journalOffset: 0 } });
    const claim = claimed(answers);
    expect(answers.beat(machineId, [{ ...earlier, state: 'working' }])).toEqual([
      expect.objectContaining({ ...earlier, state: 'void' }),
      expect.objectContaining({ ...claim, state: 'held' }),
    ]);
  });

  test('without a job that is over lets the server remove it', () => {
    const { answers, clear, jobs } = open();
    claimed(answers);
    fixture.domains.runs.move(runId, 'cancel');
    expect(answers.beat(machineId, [])).toEqual([]);
    expect(clear).toHaveBeenCalledTimes(1);
    expect(jobs.find(runId)).toBeUndefined();
  });
});
