import { expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { awsBody } from '../../../test/connection-bodies.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome, type ScriptedRun } from '../../../test/scripted-runner.ts';
import { AppError } from '../../kernel/errors.ts';

/*
 * Random orders of plans, applies, revokes, expiries, changes of bindings, supervisors that end or die, and server restarts. After each
 * step: no Run started with a Connection that had ended, exactly the Runs in progress keep their values, and no value is in the ledger in
 * clear. A seed reproduces a schedule.
 */

const schedules = depth({ quick: 8, deep: 400 });
const steps = 40;
const seed = createRandom().seed;
const providers = [{ source: 'registry.opentofu.org/hashicorp/aws', moduleLocalName: 'aws' }];

type Play = {
  fixture: ScheduleFixture;
  below: (limit: number) => number;
  clock: ReturnType<typeof heldClock>;
  capsules: string[];
  /** Secret by Connection. */
  secrets: Map<string, string>;
  ended: Set<string>;
  /** Runs that were checked when they started. */
  seen: Set<string>;
};
type Step = (play: Play) => unknown;

const planInput = ({ fixture }: Play) => ({ actorId: fixture.owner, tool: scheduleTool });
const pick = <T>({ below }: Play, list: readonly T[]): T | undefined => list[below(list.length)];
const live = ({ fixture }: Play): ScriptedRun[] =>
  [...fixture.runner.startedRuns.values()].filter(({ isAlive }) => isAlive);

function connect({ fixture, secrets, clock, below }: Play): string {
  const secret = `secret-${secrets.size}-of-a-schedule-${seed}`;
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const body = {
    ...awsBody(fixture.workspaceId),
    values: { AWS_ACCESS_KEY_ID: `id-${secrets.size}-${seed}`, AWS_SECRET_ACCESS_KEY: secret },
    ...(below(3) === 0 && { expiresAt }),
  };
  const { id } = fixture.domains.connections.create(body, fixture.owner);
  secrets.set(id, secret);
  return id;
}

const rebind: Step = (play) => {
  const capsule = play.fixture.domains.capsules.getRow(pick(play, play.capsules) ?? '');
  const connectionId = play.below(2) === 0 ? connect(play) : (pick(play, [...play.secrets.keys()]) ?? '');
  const bindings = [{ provider: 'hashicorp/aws', moduleLocalName: 'aws', connectionId }];
  play.fixture.domains.bindings.replace(capsule, play.below(6) === 0 ? [] : bindings);
};
const plan: Step = (play) => play.fixture.domains.plans.createPlan(pick(play, play.capsules) ?? '', planInput(play));
const apply: Step = (play) => {
  const { runs } = play.fixture.domains.runs.listRuns(play.fixture.workspaceId, { awaits: 'apply' });
  const run = pick(play, runs);
  if (run) play.fixture.domains.applies.apply(run.id, planInput(play));
};
const revoke: Step = (play) => {
  const id = pick(play, [...play.secrets.keys()]);
  if (id === undefined) return;
  play.fixture.domains.connections.revoke(id, play.fixture.owner);
  play.ended.add(id);
};
const wait: Step = ({ clock }) => clock.advance(25_000);
const spawn: Step = (play) => {
  const run = pick(play, live(play));
  if (run?.spec.operation !== 'apply') return;
  const identity = { pid: 2, startTime: '', bootId: '' };
  play.fixture.runner.say(run.spec.runId, { t: 'spawned', at: 0, command: 'apply', identity });
};
const end: Step = (play) => {
  const run = pick(play, live(play));
  if (!run) return;
  const { spec } = run;
  const leak = { type: 'string', value: spec.credentials?.secrets[0] ?? '' };
  const outcome = spec.operation === 'apply' ? applyOutcome(spec, play.below(3) > 0, { leak }) : planOutcome(spec);
  play.fixture.runner.end(spec.runId, outcome);
};
const lose: Step = (play) => {
  const run = pick(play, live(play));
  if (run) play.fixture.runner.lose(run.spec.runId);
};
const restart: Step = ({ fixture }) => fixture.restart();
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

/** Connections that must not be used any more. */
const isOver = ({ fixture, ended }: Play, id: string): boolean =>
  ended.has(id) || fixture.domains.connections.findUnusable(id, fixture.workspaceId) !== undefined;

function check(play: Play, over: ReadonlySet<string>): void {
  const { fixture, secrets, seen } = play;
  const secretsOver = new Set([...over].map((id) => secrets.get(id)));
  for (const { spec } of fixture.runner.startedRuns.values()) {
    if (spec.mode !== 'run' || seen.has(spec.runId)) continue;
    seen.add(spec.runId);
    expect(spec.credentials?.secrets.filter((secret) => secretsOver.has(secret)) ?? []).toEqual([]);
  }
  const stored = fixture.db.sqlite.prepare('SELECT id FROM run_credentials ORDER BY id').pluck().all();
  const under = fixture.db.sqlite
    .prepare("SELECT id FROM runs WHERE status = 'running' AND input ->> '$.bound' IS NOT NULL ORDER BY id")
    .pluck()
    .all();
  expect(stored).toEqual(under);
}

test(`${schedules} random schedules of Runs and Connections keep every rule (seed ${seed})`, async () => {
  const { below } = createRandom(seed);
  let startedCount = 0;
  for (let turn = 0; turn < schedules; turn += 1) {
    const clock = heldClock();
    const fixture = await openScheduleFixture(clock, { providers });
    const capsules = [fixture.makeCapsule().id, fixture.makeCapsule().id];
    const play: Play = { fixture, below, clock, capsules, secrets: new Map(), ended: new Set(), seen: new Set() };
    for (let step = 0; step < steps; step += 1) {
      try {
        await (pick(play, all) as Step)(play);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
      }
      const over = new Set([...play.secrets.keys()].filter((id) => isOver(play, id)));
      await fixture.settle();
      check(play, over);
    }
    startedCount += [...fixture.runner.startedRuns.values()].filter(({ spec }) => spec.credentials).length;
    const ledger = fixture.db.sqlite.serialize();
    for (const secret of play.secrets.values()) expect(ledger.includes(secret)).toBe(false);
    await fixture.close();
  }
  expect(startedCount).toBeGreaterThan(0);
}, 600_000);
