import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleGround, type ScheduleGround, scheduleTool } from '../../../test/schedule-ground.ts';
import { applyOutcome, planOutcome, type ScriptedRun } from '../../../test/scripted-runner.ts';

let ground: ScheduleGround;
beforeEach(async () => {
  ground = await openScheduleGround(heldClock());
});
afterEach(() => ground.close());

const spawned = { t: 'spawned', at: 0, command: 'apply', identity: { pid: 2, startTime: '', bootId: '' } } as const;
const given = (runId: string) => ground.runner.given.get(runId) as ScriptedRun;
const statusOf = (runId: string) => ground.rooms.runs.getRecord(runId).status;

const ask = () => ({ actorId: ground.owner, tool: scheduleTool });

async function makePlan(): Promise<string> {
  const { id } = ground.rooms.deploys.createPlan(ground.makeCapsule().id, ask());
  await ground.settle();
  ground.runner.end(id, planOutcome(given(id).job));
  await ground.settle();
  return id;
}

/** An apply that a supervisor has taken and not begun yet. */
async function startApply(): Promise<string> {
  const { run } = ground.rooms.deploys.apply(await makePlan(), ask());
  await ground.settle();
  expect(statusOf(run.id)).toBe('running');
  return run.id;
}

test('an apply that was begun after the last look at its journal is taken over, and never made again', async () => {
  const id = await startApply();
  // The supervisor is taken for dead, begins all the same, and dies before the next look.
  ground.runner.onWithdraw = () => {
    ground.runner.onWithdraw = () => {};
    given(id).journal.push(spawned);
  };
  ground.runner.lose(id);
  await ground.settle();
  expect([statusOf(id), given(id).job.mode, given(id).isAlive]).toEqual(['running', 'adopt', true]);
  ground.runner.end(id, applyOutcome(given(id).job, true));
  await ground.settle();
  expect(statusOf(id)).toBe('succeeded');
});

test('an apply that was taken although giving it away failed is listened to, and not made again', async () => {
  const planId = await makePlan();
  ground.runner.startFault = new Error('the folder could not be watched');
  const { id } = ground.rooms.deploys.apply(planId, ask()).run;
  await ground.settle();
  expect([statusOf(id), ground.rooms.runs.getRecord(id).attempts]).toEqual(['running', 1]);
  ground.runner.end(id, applyOutcome(given(id).job, true));
  await ground.settle();
  expect(statusOf(id)).toBe('succeeded');
});

test('an apply is not given up as long as its tool works, however many supervisors die', {
  timeout: 30_000,
}, async () => {
  const id = await startApply();
  ground.runner.say(id, spawned);
  ground.runner.isToolAlive = true;
  for (let death = 0; death < 5; death += 1) {
    await expect.poll(() => given(id).isAlive, { timeout: 10_000 }).toBe(true);
    await ground.settle();
    ground.runner.lose(id);
    await ground.settle();
    expect(statusOf(id)).toBe('running');
  }
  ground.runner.isToolAlive = false;
  await expect.poll(() => given(id).isAlive || statusOf(id) === 'failed', { timeout: 10_000 }).toBe(true);
  ground.runner.lose(id);
  await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('failed');
  expect(ground.rooms.runs.getRecord(id).errorCode).toBe('run_execution_lease_lost');
});

describe('a fault of the server itself', () => {
  const line = { t: 'log', at: 0, phase: 'apply', stream: 'stdout', level: 'info', text: 'x' } as const;
  const breakFeed = () =>
    ground.db.sqlite.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON run_feed WHEN NEW.kind = 'log' BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
  const mendFeed = () => ground.db.sqlite.exec('DROP TRIGGER broken');

  test('ends no apply whose supervisor works: it is listened to again', { timeout: 30_000 }, async () => {
    const id = await startApply();
    breakFeed();
    ground.runner.say(id, spawned);
    ground.runner.say(id, line);
    await ground.settle();
    expect(statusOf(id)).toBe('running');
    mendFeed();
    ground.runner.end(id, applyOutcome(given(id).job, true));
    await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('succeeded');
  });

  test('that stays leaves an apply that may have begun as one of which not all is known', {
    timeout: 30_000,
  }, async () => {
    const id = await startApply();
    breakFeed();
    ground.runner.say(id, spawned);
    ground.runner.say(id, line);
    ground.runner.lose(id);
    await expect.poll(() => statusOf(id), { timeout: 20_000 }).toBe('failed');
    mendFeed();
    const { capsuleId } = ground.rooms.runs.getRecord(id);
    expect(ground.rooms.capsules.getRow(capsuleId ?? '')).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
  });
});
