import '../../../test/in-memory.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome, type ScriptedRun } from '../../../test/scripted-runner.ts';

let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(heldClock());
});
afterEach(() => fixture.close());

const spawned = { t: 'spawned', at: 0, command: 'apply', identity: { pid: 2, startTime: '', bootId: '' } } as const;
const scriptedRunOf = (runId: string) => fixture.runner.startedRuns.get(runId) as ScriptedRun;
const statusOf = (runId: string) => fixture.domains.runs.getRecord(runId).status;

const planInput = () => ({ actorId: fixture.owner, tool: scheduleTool });

async function makePlan(): Promise<string> {
  const { id } = fixture.domains.plans.createPlan(fixture.makeCapsule().id, planInput());
  await fixture.settle();
  fixture.runner.end(id, planOutcome(scriptedRunOf(id).spec));
  await fixture.settle();
  return id;
}

/** An apply that a supervisor has taken and not started yet. */
async function startApply(): Promise<string> {
  const { run } = fixture.domains.applies.apply(await makePlan(), planInput());
  await fixture.settle();
  expect(statusOf(run.id)).toBe('running');
  return run.id;
}

test('an apply that started after the last read of its journal is taken over, and never repeated', async () => {
  const id = await startApply();
  // The supervisor is considered dead, starts all the same, and dies before the next read.
  fixture.runner.onWithdraw = () => {
    fixture.runner.onWithdraw = () => {};
    scriptedRunOf(id).journal.push(spawned);
  };
  fixture.runner.lose(id);
  await fixture.settle();
  expect([statusOf(id), scriptedRunOf(id).spec.mode, scriptedRunOf(id).isAlive]).toEqual(['running', 'adopt', true]);
  fixture.runner.end(id, applyOutcome(scriptedRunOf(id).spec, true));
  await fixture.settle();
  expect(statusOf(id)).toBe('succeeded');
});

test('an apply that was taken although the hand-over failed is followed, and not repeated', async () => {
  const planId = await makePlan();
  fixture.runner.startFault = new Error('the folder could not be watched');
  const { id } = fixture.domains.applies.apply(planId, planInput()).run;
  await fixture.settle();
  expect([statusOf(id), fixture.domains.runs.getRecord(id).attempts]).toEqual(['running', 1]);
  fixture.runner.end(id, applyOutcome(scriptedRunOf(id).spec, true));
  await fixture.settle();
  expect(statusOf(id)).toBe('succeeded');
});

test('an apply is not given up as long as its tool works, however many supervisors die', {
  timeout: 30_000,
}, async () => {
  const id = await startApply();
  fixture.runner.say(id, spawned);
  fixture.runner.isToolAlive = true;
  for (let death = 0; death < 5; death += 1) {
    await expect.poll(() => scriptedRunOf(id).isAlive, { timeout: 10_000 }).toBe(true);
    await fixture.settle();
    fixture.runner.lose(id);
    await fixture.settle();
    expect(statusOf(id)).toBe('running');
  }
  fixture.runner.isToolAlive = false;
  await expect.poll(() => scriptedRunOf(id).isAlive || statusOf(id) === 'failed', { timeout: 10_000 }).toBe(true);
  fixture.runner.lose(id);
  await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('failed');
  expect(fixture.domains.runs.getRecord(id).errorCode).toBe('run_execution_lease_lost');
});

describe('a server error', () => {
  const line = { t: 'log', at: 0, phase: 'apply', stream: 'stdout', level: 'info', text: 'x' } as const;
  const breakFeed = () =>
    fixture.db.sqlite.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON run_feed WHEN NEW.kind = 'log' BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
  const repairFeed = () => fixture.db.sqlite.exec('DROP TRIGGER broken');

  test('ends no apply whose supervisor works: it is followed again', { timeout: 30_000 }, async () => {
    const id = await startApply();
    breakFeed();
    fixture.runner.say(id, spawned);
    fixture.runner.say(id, line);
    await fixture.settle();
    expect(statusOf(id)).toBe('running');
    repairFeed();
    fixture.runner.end(id, applyOutcome(scriptedRunOf(id).spec, true));
    await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('succeeded');
  });

  test('that persists ends an apply that may have started with an uncertain result', {
    timeout: 30_000,
  }, async () => {
    const id = await startApply();
    breakFeed();
    fixture.runner.say(id, spawned);
    fixture.runner.say(id, line);
    fixture.runner.lose(id);
    await expect.poll(() => statusOf(id), { timeout: 20_000 }).toBe('failed');
    repairFeed();
    const { capsuleId } = fixture.domains.runs.getRecord(id);
    expect(fixture.domains.capsules.getRow(capsuleId ?? '')).toMatchObject({
      status: 'error',
      runtimeSafety: 'unknown',
    });
  });
});
