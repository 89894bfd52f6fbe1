import { expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { awsBody } from '../../../test/connection-bodies.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleGround, type ScheduleGround, scheduleTool } from '../../../test/schedule-ground.ts';
import { applyOutcome, planOutcome, type ScriptedRun } from '../../../test/scripted-runner.ts';
import { AppError } from '../../kernel/errors.ts';

/*
 * Random orders of plans, applies, revokes, expiries, changes of bindings, supervisors that end or die and servers that
 * start anew. After each step: no Run began with a Connection that had ended, exactly the Runs under way keep what they
 * were given, and no value stands in the ledger in clear. A seed plays one again.
 */

const schedules = depth({ quick: 8, deep: 400 });
const steps = 40;
const seed = createRandom().seed;
const providers = [{ source: 'registry.opentofu.org/hashicorp/aws', moduleLocalName: 'aws' }];

type Play = {
  ground: ScheduleGround;
  below: (limit: number) => number;
  clock: ReturnType<typeof heldClock>;
  capsules: string[];
  /** Secret by Connection. */
  made: Map<string, string>;
  ended: Set<string>;
  /** Runs that were looked at when they were handed over. */
  seen: Set<string>;
};
type Step = (play: Play) => unknown;

const ask = ({ ground }: Play) => ({ actorId: ground.owner, tool: scheduleTool });
const pick = <T>({ below }: Play, list: readonly T[]): T | undefined => list[below(list.length)];
const live = ({ ground }: Play): ScriptedRun[] => [...ground.runner.given.values()].filter(({ isAlive }) => isAlive);

function connect({ ground, made, clock, below }: Play): string {
  const secret = `secret-${made.size}-of-a-schedule-${seed}`;
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const body = {
    ...awsBody(ground.workspaceId),
    values: { AWS_ACCESS_KEY_ID: `id-${made.size}-${seed}`, AWS_SECRET_ACCESS_KEY: secret },
    ...(below(3) === 0 && { expiresAt }),
  };
  const { id } = ground.rooms.connections.create(body, ground.owner);
  made.set(id, secret);
  return id;
}

const rebind: Step = (play) => {
  const capsule = play.ground.rooms.capsules.getRow(pick(play, play.capsules) ?? '');
  const connectionId = play.below(2) === 0 ? connect(play) : (pick(play, [...play.made.keys()]) ?? '');
  const bindings = [{ provider: 'hashicorp/aws', moduleLocalName: 'aws', connectionId }];
  play.ground.rooms.bindings.replace(capsule, play.below(6) === 0 ? [] : bindings);
};
const plan: Step = (play) => play.ground.rooms.deploys.createPlan(pick(play, play.capsules) ?? '', ask(play));
const apply: Step = (play) => {
  const { runs } = play.ground.rooms.runs.listRuns(play.ground.workspaceId, { awaits: 'apply' });
  const run = pick(play, runs);
  if (run) play.ground.rooms.deploys.apply(run.id, ask(play));
};
const revoke: Step = (play) => {
  const id = pick(play, [...play.made.keys()]);
  if (id === undefined) return;
  play.ground.rooms.connections.revoke(id, play.ground.owner);
  play.ended.add(id);
};
const wait: Step = ({ clock }) => clock.advance(25_000);
const spawn: Step = (play) => {
  const run = pick(play, live(play));
  if (run?.job.operation !== 'apply') return;
  const identity = { pid: 2, startTime: '', bootId: '' };
  play.ground.runner.say(run.job.runId, { t: 'spawned', at: 0, command: 'apply', identity });
};
const end: Step = (play) => {
  const run = pick(play, live(play));
  if (!run) return;
  const { job } = run;
  const leak = { type: 'string', value: job.credentials?.secrets[0] ?? '' };
  const outcome = job.operation === 'apply' ? applyOutcome(job, play.below(3) > 0, { leak }) : planOutcome(job);
  play.ground.runner.end(job.runId, outcome);
};
const lose: Step = (play) => {
  const run = pick(play, live(play));
  if (run) play.ground.runner.lose(run.job.runId);
};
const restart: Step = ({ ground }) => ground.restart();
const all: readonly Step[] = [
  rebind,
  rebind,
  plan,
  plan,
  plan,
  apply,
  apply,
  revoke,
  wait,
  spawn,
  end,
  end,
  end,
  lose,
  restart,
];

/** Connections that nobody may be given any more. */
const isOver = ({ ground, ended }: Play, id: string): boolean =>
  ended.has(id) || ground.rooms.connections.findUnusable(id, ground.workspaceId) !== undefined;

function check(play: Play, over: ReadonlySet<string>): void {
  const { ground, made, seen } = play;
  const secretsOver = new Set([...over].map((id) => made.get(id)));
  for (const { job } of ground.runner.given.values()) {
    if (job.mode !== 'run' || seen.has(job.runId)) continue;
    seen.add(job.runId);
    expect(job.credentials?.secrets.filter((secret) => secretsOver.has(secret)) ?? []).toEqual([]);
  }
  const kept = ground.db.sqlite.prepare('SELECT id FROM run_credentials ORDER BY id').pluck().all();
  const under = ground.db.sqlite
    .prepare("SELECT id FROM runs WHERE status = 'running' AND input ->> '$.bound' IS NOT NULL ORDER BY id")
    .pluck()
    .all();
  expect(kept).toEqual(under);
}

test(`${schedules} random schedules of Runs and Connections keep every rule (seed ${seed})`, async () => {
  const { below } = createRandom(seed);
  let begun = 0;
  for (let turn = 0; turn < schedules; turn += 1) {
    const clock = heldClock();
    const ground = await openScheduleGround(clock, { providers });
    const capsules = [ground.makeCapsule().id, ground.makeCapsule().id];
    const play: Play = { ground, below, clock, capsules, made: new Map(), ended: new Set(), seen: new Set() };
    for (let step = 0; step < steps; step += 1) {
      try {
        await (pick(play, all) as Step)(play);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
      }
      const over = new Set([...play.made.keys()].filter((id) => isOver(play, id)));
      await ground.settle();
      check(play, over);
    }
    begun += [...ground.runner.given.values()].filter(({ job }) => job.credentials).length;
    const ledger = ground.db.sqlite.serialize();
    for (const secret of play.made.values()) expect(ledger.includes(secret)).toBe(false);
    await ground.close();
  }
  expect(begun).toBeGreaterThan(0);
}, 600_000);
