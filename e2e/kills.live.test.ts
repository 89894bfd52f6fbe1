import { watch } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/coordinators/api';
import type { Run } from '#shared/runs/contract';
import { readFeed, settled } from './fixtures/feed.ts';
import { type Ground, startGround } from './fixtures/ground.ts';
import {
  getCapsule,
  getRun,
  installPlanned,
  outputsOf,
  type Planned,
  reconcile,
  startApply,
  startInstall,
  startPlan,
  stateVersions,
} from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { effects } from './fixtures/provider/index.ts';
import { createRandom } from './fixtures/random.ts';

/** How often the server is killed in the middle of an apply; a nightly run asks for more. */
const kills = Number(process.env.GROUNDCTL_TEST_KILLS ?? 3);
/** No Run may stand still for longer than this after the server is back. */
const patienceMs = 30_000;
const random = createRandom();

const module = fakeModule(`variable "delays" {
  type = list(number)
}
resource "fake_thing" "early" {
  count    = 5
  name     = "early-\${count.index}"
  delay_ms = var.delays[count.index]
}
resource "fake_thing" "late" {
  count      = 5
  name       = "late-\${count.index}"
  delay_ms   = var.delays[5 + count.index]
  depends_on = [fake_thing.early]
}
output "made" {
  value = length(fake_thing.early) + length(fake_thing.late)
}
`);
const resources = 10;

let ground: Ground;
let url = '';
let plainUrl = '';
beforeAll(async () => {
  ground = await startGround({ providers: true });
  ({ url } = ground.repository('kills', { 'main.tf': module }));
  ({ url: plainUrl } = ground.repository('plain', { 'main.tf': 'resource "terraform_data" "a" {}\n' }));
});
afterAll(() => ground?.stop());

let count = 0;
const ask = () => {
  count += 1;
  return {
    url,
    name: `kill-${count}`,
    variables: { delays: Array.from({ length: resources }, () => random.below(300)) },
  };
};

/** When to kill: at an event of the live stream, or at a change of the Run's folder, which tells more of the hand-over. */
type Moment = { what: 'event' | 'change'; number: number };
const moments: { [what in Moment['what']]: number } = { event: 70, change: 40 };
function randomMoment(): Moment {
  const what = random.below(2) === 0 ? 'event' : 'change';
  return { what, number: random.below(moments[what]) };
}

/** Resolves at the moment, or when the Run has ended before it. */
async function reach(run: Run, { what, number }: Moment): Promise<void> {
  if (what === 'change') return changesOf(run, number);
  let seen = 0;
  for await (const _event of readFeed(ground.server, run.id)) {
    seen += 1;
    if (seen >= number) return;
  }
}

async function changesOf(run: Run, number: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  // The folder of a Run appears with its start, so what is watched is the folder above, with all below it.
  const watcher = watch(path.join(ground.server.dataDir, 'runs'), { recursive: true }, (_event, name) => {
    if (name?.startsWith(run.id) !== true) return;
    seen += 1;
    if (seen >= number) resolve();
  });
  const ended = settled(ground.server, run.id).then(
    () => {},
    () => {},
  );
  await Promise.race([promise, ended]);
  watcher.close();
}

/** Kills the server at the moment, starts it again, and waits for the end of the Run. */
async function crash(run: Run, moment: Moment): Promise<Run> {
  await reach(run, moment);
  await ground.server.kill9();
  await ground.server.restart();
  const began = performance.now();
  const ended = await settled(ground.server, run.id);
  expect(performance.now() - began).toBeLessThan(patienceMs);
  return ended;
}

/** Kills the server at the first write to its ledger after a request was sent, or at the answer, and starts it again. */
async function killWhile(request: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(path.join(ground.server.dataDir, 'ledger.db-wal'), () => resolve());
  const answer = request().catch(() => undefined);
  await Promise.race([promise, answer]);
  watcher.close();
  await ground.server.kill9();
  await answer;
  await ground.server.restart();
}

/** An apply that lost its server is as good as any other: all is made, once, and known. */
async function expectWhole({ capsuleId }: Planned, apply: Run): Promise<void> {
  expect(apply).toMatchObject({ type: 'apply', status: 'succeeded' });
  const states = await stateVersions(ground, capsuleId);
  expect(states).toMatchObject([{ generation: 1, resourceCount: resources, createdByRunId: apply.id }]);
  expect(states[0]?.partial).toBeUndefined();
  expect(await outputsOf(ground, capsuleId)).toEqual({ made: resources });
  expect(await getCapsule(ground, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  const made = effects(path.join(ground.server.dataDir, 'capsules', capsuleId, 'tree', 'world'));
  expect(made.map(({ op }) => op)).toEqual(Array.from({ length: resources }, () => 'create'));
  expect(new Set(made.map(({ name }) => name)).size).toBe(resources);
}

/** Repeats a test at random moments; its failure names what plays it again. */
async function repeat(times: number, work: (moment: Moment) => Promise<void>): Promise<void> {
  for (let round = 1; round <= times; round += 1) {
    const moment = randomMoment();
    const where = `GROUNDCTL_TEST_SEED=${random.seed}, round ${round}, ${moment.what} ${moment.number}`;
    await work(moment).catch((cause: unknown) => {
      throw new Error(
        `${where}: ${cause instanceof Error ? cause.message : cause}\n${ground.server.log().slice(-3_000)}`,
        {
          cause,
        },
      );
    });
  }
}

const timeout = 60_000 + kills * 30_000;

describe('a server that is killed', () => {
  it(`${kills} times in the middle of an apply loses nothing of it`, { timeout }, async () => {
    await repeat(kills, async (moment) => {
      const planned = await installPlanned(ground, ask());
      await expectWhole(planned, await crash(await startApply(ground, planned.plan), moment));
    });
  });

  it('right after it took an apply still carries it out, once', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const apply = await startApply(ground, planned.plan);
    await ground.server.kill9();
    await ground.server.restart();
    await expectWhole(planned, await settled(ground.server, apply.id));
  });

  it('twice during one apply loses nothing either', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const apply = await startApply(ground, planned.plan);
    await reach(apply, { what: 'event', number: 15 });
    await ground.server.kill9();
    await ground.server.restart();
    await expectWhole(planned, await crash(apply, { what: 'event', number: 30 }));
  });

  it('while it plans makes the plan all the same', { timeout }, async () => {
    const { capsuleId } = await installPlanned(ground, ask());
    await repeat(kills, async (moment) => {
      const plan = await crash(await startPlan(ground, capsuleId), moment);
      expect(plan).toMatchObject({ status: 'succeeded', awaits: 'apply', summary: { add: resources } });
    });
  });

  it('while it takes an apply has either taken it or not', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const at = `/api/v1/runs/${planned.plan.id}/apply`;
    await killWhile(() => ground.http.post(at, {}));
    const taken = (await getRun(ground, planned.plan.id)).applyRunId;
    const { status, body } = await ground.http.post<{ run: Run }>(at, {});
    expect(status).toBe(taken === undefined ? 201 : 200);
    await expectWhole(planned, await settled(ground.server, body.run.id));
  });

  it('while it installs goes on with the installation', { timeout }, async () => {
    for (const steps of [0, 1, 2, 4, 5, 6, 7]) {
      const { body } = await startInstall(ground, { url: plainUrl, name: `step-${steps}` });
      const at = `/api/v1/install-plans/${body.installPlan.id}/reconcile`;
      for (let step = 0; step < steps; step += 1) await ground.http.post<InstallPlanAnswer>(at);
      await killWhile(() => ground.http.post(at));
      expect(await reconcile(ground, body.installPlan.id)).toMatchObject({ phase: 'reviewable' });
    }
  });

  it('has a ledger without a fault afterwards, and no Run that still runs', async () => {
    const ledger = new Database(path.join(ground.server.dataDir, 'ledger.db'), { readonly: true });
    expect(ledger.pragma('integrity_check', { simple: true })).toBe('ok');
    ledger.close();
    const open = `/api/v1/workspaces/${ground.workspaceId}/runs?status=queued,running`;
    expect((await ground.http.get<{ runs: Run[] }>(open)).body.runs).toEqual([]);
  });
});
