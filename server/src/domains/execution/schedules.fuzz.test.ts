import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPlanType } from '#shared/runs/contract';
import { depth, isDeep } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import { heldClock } from '../../../test/harness.ts';
import { checkStep, createStateReader, type RunFacts, type Seen } from '../../../test/schedule-checks.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Caller } from '../../kernel/http/index.ts';

/*
 * Random orders of everything that can happen to a Capsule: people who plan, approve, apply, cancel, change and discard, supervisors that
 * end or die, syncs, clock jumps, server restarts, and commits without authority. After each step every invariant is checked. A seed
 * reproduces a schedule.
 */

const schedules = depth({ quick: 60, deep: 10_000 });
const steps = 24;
/** A ledger per group of schedules, so that later schedules are not slowed down by earlier ones. */
const perFixture = 75;
const seed = createRandom().seed;

const clock = heldClock();
let fixture: ScheduleFixture;
beforeAll(async () => {
  fixture = await openScheduleFixture(clock);
});
afterAll(() => fixture.close());

type Capsule = { id: string; sourceId: string };
type Play = { random: Random; capsules: readonly [Capsule, Capsule]; observe: () => Seen; seen: Seen; log: string[] };
type Step = (play: Play) => unknown;

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[random.below(list.length)];
const someCapsule = ({ random, capsules }: Play) => pick(random, capsules) as Capsule;
const runsOf = ({ observe }: Play): RunFacts[] => [...observe().runs.values()];
const liveRuns = (play: Play) =>
  [...fixture.runner.startedRuns.values()].filter(
    ({ spec, isAlive }) => isAlive && play.capsules.some(({ id }) => id === spec.capsuleId),
  );
const planInput = () => ({ actorId: fixture.owner, tool: scheduleTool });
const caller = () =>
  ({
    principal: { kind: 'session', subject: fixture.owner },
    roles: ['owner'],
    workspaceId: fixture.workspaceId,
  }) as unknown as Caller;

const plan: Step = (play) => fixture.domains.plans.createPlan(someCapsule(play).id, planInput());

const planEnd: Step = (play) =>
  fixture.domains.plans.createPlan(someCapsule(play).id, { ...planInput(), type: 'destroy_plan' });

const compare: Step = (play) =>
  fixture.domains.plans.createPlan(someCapsule(play).id, { ...planInput(), type: 'drift_check' });

const approve: Step = (play) => {
  const run = pick(
    play.random,
    runsOf(play).filter(({ type }) => isPlanType(type)),
  );
  if (run) fixture.domains.plans.approve(run.id, { actorId: fixture.owner });
};

const apply: Step = (play) => {
  const plans = runsOf(play).filter(({ type }) => isPlanType(type));
  // Mostly the newest, as a person would; sometimes any, as from a page that was left open.
  const run = play.random.below(3) > 0 ? plans.at(-1) : pick(play.random, plans);
  if (!run) return;
  const right = run.planDigest ?? undefined;
  const planDigest = pick(play.random, [right, right, right, undefined, 'sha256:other']);
  // Two people press the button at once.
  const applies = [1, 2].map(() => fixture.domains.applies.apply(run.id, { ...planInput(), planDigest }));
  expect(applies[0]?.run.id).toBe(applies[1]?.run.id);
  expect(applies[1]?.isNew).toBe(false);
};

const cancel: Step = (play) => {
  const run = pick(play.random, runsOf(play));
  if (run) fixture.db.write(() => fixture.domains.cancel(run.id, caller(), { interrupt: play.random.below(2) === 0 }));
};

const discard: Step = (play) => fixture.domains.plans.discard(someCapsule(play).id, fixture.owner);

const configure: Step = (play) => {
  const { id } = someCapsule(play);
  const { authorityGuard } = fixture.domains.capsules.getGuarded(id).installConfigReAdoption;
  const guard = play.random.below(4) === 0 ? `sha256:${'0'.repeat(64)}` : authorityGuard;
  fixture.domains.configurationPlans.plan({
    capsuleId: id,
    ...planInput(),
    key: `key ${play.random.below(1e9)}`,
    body: {
      variablePatch: { set: { title: `title ${play.random.below(1e9)}` }, remove: [] },
      providerBindings: [],
      interfaceBlueprints: [],
      expected: { authorityGuard: guard },
    },
  });
};

const sync: Step = (play) => fixture.sync(someCapsule(play).sourceId);

const spawn: Step = (play) => {
  const run = pick(play.random, liveRuns(play));
  if (!run) return;
  const command = run.spec.operation === 'apply' ? 'apply' : 'plan';
  fixture.runner.say(run.spec.runId, { t: 'spawned', at: 0, command, identity: { pid: 2, startTime: '', bootId: '' } });
};

const end: Step = (play) => {
  const run = pick(play.random, liveRuns(play));
  if (!run) return;
  const { spec, isCancelled, isSpawned } = run;
  if (isCancelled && !isSpawned) {
    const outcome = { kind: 'failed', errorCode: 'cancelled', message: 'Cancelled.', phase: 'init' } as const;
    return fixture.runner.end(spec.runId, outcome);
  }
  if (spec.operation === 'apply') {
    fixture.runner.say(spec.runId, {
      t: 'spawned',
      at: 0,
      command: 'apply',
      identity: { pid: 2, startTime: '', bootId: '' },
    });
    return fixture.runner.end(spec.runId, applyOutcome(spec, play.random.below(3) > 0));
  }
  if (play.random.below(6) > 0) return fixture.runner.end(spec.runId, planOutcome(spec));
  const outcome = { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' } as const;
  fixture.runner.end(spec.runId, outcome);
};

const die: Step = (play) => {
  const run = pick(play.random, liveRuns(play));
  if (run) fixture.runner.lose(run.spec.runId);
};

/** Tries to make a state current with superseded or invented authority. */
const commitStale: Step = (play) => {
  const { id } = someCapsule(play);
  const row = fixture.domains.capsules.getRow(id);
  const fence = {
    epoch: row.executionAuthorityEpoch - 1 + play.random.below(3),
    generation: row.currentStateGeneration - 1 + play.random.below(3),
  };
  if (fence.epoch === row.executionAuthorityEpoch && fence.generation === row.currentStateGeneration) return;
  const change = {
    currentStateVersionId: 'state_stolen',
    currentStateGeneration: fence.generation + 1,
    runtimeSafety: 'safe' as const,
  };
  fixture.domains.capsules.commitApply(id, 'apply', { fence, change });
  throw new Error('a stale commit became current');
};

/** Commits a supervisor's end a second time, as after a crash between two commits. */
const finishAgain: Step = (play) => {
  const run = pick(
    play.random,
    runsOf(play).filter(({ finishedAt }) => finishedAt !== null),
  );
  if (!run) return;
  fixture.domains.runs.move(
    run.id,
    pick(play.random, ['finish', 'fail', 'claim', 'requeue', 'approve'] as const) ?? 'finish',
  );
  throw new Error('a Run that had ended changed');
};

const tick: Step = ({ random }) => {
  const jumps = [1_000, 60_000, 3_600_000, 86_400_000, 8 * 86_400_000, -3_600_000];
  clock.advance(pick(random, jumps) ?? 0);
};

const expire: Step = () => {
  fixture.domains.expiry.stop();
  fixture.domains.expiry.start();
};

const restart: Step = () => fixture.restart();

/** Each step with its frequency. */
const weights: readonly (readonly [string, Step, number])[] = [
  ['plan', plan, 5],
  ['planEnd', planEnd, 1],
  ['compare', compare, 1],
  ['approve', approve, 2],
  ['apply', apply, 7],
  ['cancel', cancel, 2],
  ['discard', discard, 1],
  ['configure', configure, 2],
  ['sync', sync, 1],
  ['spawn', spawn, 3],
  ['end', end, 10],
  ['die', die, 2],
  ['commitStale', commitStale, 2],
  ['finishAgain', finishAgain, 1],
  ['tick', tick, 1],
  ['expire', expire, 1],
  ['restart', restart, 1],
];
const drawn = weights.flatMap(([name, step, weight]) => Array.from({ length: weight }, () => [name, step] as const));

function check(play: Play): void {
  const now = play.observe();
  checkStep(play.seen, now);
  play.seen = now;
}

/** A refusal is a valid answer; any other error is a failure. */
async function take(step: Step, play: Play): Promise<void> {
  try {
    await step(play);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal_error') throw error;
    play.log.push(`  ${error.details?.reason ?? error.code}`);
  }
}

/** Lets all running Runs end, so that the next schedule starts with an empty queue. */
async function drain(play: Play): Promise<void> {
  for (let round = 0; round < 60; round += 1) {
    for (const { spec } of liveRuns(play))
      fixture.runner.end(spec.runId, spec.operation === 'apply' ? applyOutcome(spec, true) : planOutcome(spec));
    await fixture.settle();
    check(play);
    if (runsOf(play).every(({ status }) => status !== 'queued' && status !== 'running')) return;
  }
  throw new Error('a Run never ended');
}

async function playSchedule(number: number): Promise<Map<string, number>> {
  const random = createRandom((seed + number * 7_919) % 2 ** 31);
  const capsules = [fixture.makeCapsule(), fixture.makeCapsule()] as const;
  const observe = createStateReader(fixture.db, [capsules[0].id, capsules[1].id]);
  const play: Play = { random, capsules, observe, seen: observe(), log: [] };
  try {
    for (let step = 0; step < steps; step += 1) {
      const [name, work] = pick(random, drawn) as readonly [string, Step];
      play.log.push(name);
      await take(work, play);
      // Not always: the next step may come before any background work has continued.
      if (random.below(4) > 0) await fixture.settle();
      check(play);
    }
    await drain(play);
  } catch (cause) {
    throw new Error(
      `GROUNDCTL_TEST_SEED=${seed}, schedule ${number}: ${cause instanceof Error ? cause.message : cause}\n${play.log.join('\n')}`,
      { cause },
    );
  }
  fixture.runner.clear();
  const ends = new Map<string, number>();
  for (const { type, status } of play.seen.runs.values())
    ends.set(`${type} ${status}`, (ends.get(`${type} ${status}`) ?? 0) + 1);
  return ends;
}

/** A test that reaches none of these proves nothing; some are too rare to be required of a few schedules. */
function checkEnds(ends: ReadonlyMap<string, number>): void {
  const often = ['plan succeeded', 'plan failed', 'apply succeeded', 'apply failed'];
  const seldom = ['plan cancelled', 'apply cancelled'];
  for (const end of isDeep ? [...often, ...seldom] : often) expect(ends.get(end) ?? 0, end).toBeGreaterThan(0);
}

describe(`a Capsule, in any order of events (seed ${seed})`, () => {
  test(`keeps its invariants in ${schedules} random schedules`, { timeout: 60_000 + schedules * 1_000 }, async () => {
    const ends = new Map<string, number>();
    for (let number = 0; number < schedules; number += 1) {
      if (number > 0 && number % perFixture === 0) {
        expect(fixture.domains.activity.findBreak()).toBeUndefined();
        await fixture.close();
        fixture = await openScheduleFixture(clock);
      }
      for (const [end, times] of await playSchedule(number)) ends.set(end, (ends.get(end) ?? 0) + times);
    }
    expect(fixture.domains.activity.findBreak()).toBeUndefined();
    checkEnds(ends);
  });
});
