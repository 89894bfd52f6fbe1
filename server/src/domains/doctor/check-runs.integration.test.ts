import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  at,
  clock,
  minute,
  put,
  recordRunActivity,
  said,
  serveGroup,
  server,
  sql,
  withoutServer,
} from '../../../test/doctor-fixture.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { digestOf } from '../../kernel/digest.ts';
import { builtArchive } from '../../runner/index.ts';

describe('Runs', () => {
  serveGroup();

  test('with an action keep its folder and its supervisor', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const set = { heartbeatAt: clock.now(), startedAt: clock.now() };
    const run = seedRun(server, { capsuleId, type: 'apply', moves: ['claim'], set });
    await recordRunActivity();
    supervise(`${run.id}.0`);
    expect(await said()).toEqual([]);
    await withoutServer(async () => expect(await said()).toEqual([['runs', 'note', run.id]]));
    sql("UPDATE runs SET status = 'failed', finished_at = ? WHERE id = ?", clock.now() - minute, run.id);
    expect(await said()).toEqual([['leftovers', 'problem', `${run.id}.0`]]);
    put('runs/apply_unknown.0/journal');
    expect((await said())[0]).toEqual(['stray-folders', 'note', at('runs/apply_unknown.0')]);
  });

  test('of a pool may continue while no server runs', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const set = { heartbeatAt: clock.now(), startedAt: clock.now() };
    const run = seedRun(server, { capsuleId, moves: ['claim'], set });
    sql("UPDATE runs SET runner_pool = 'pool_1' WHERE id = ?", run.id);
    await recordRunActivity();
    expect(await said()).toEqual([]);
    await withoutServer(async () => expect(await said()).toEqual([['runs', 'note', run.id]]));
  });

  test('without a supervisor are a problem while a server runs, and also while none does', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const live = seedRun(server, {
      capsuleId,
      moves: ['claim'],
      set: { heartbeatAt: clock.now(), startedAt: clock.now() },
    });
    const { id: otherId } = await seedCapsule(server);
    const silent = seedRun(server, {
      capsuleId: otherId,
      moves: ['claim'],
      set: { heartbeatAt: clock.now() - 61_000 },
    });
    const late = seedRun(server, {
      capsuleId,
      moves: ['claim', 'requestApproval'],
      set: { planExpiresAt: clock.now() - 6 * minute },
    });
    const queued = seedRun(server, { capsuleId, set: { createdAt: clock.now() - 61 * minute } });
    await recordRunActivity();
    expect(await said()).toEqual([
      ['runs', 'problem', silent.id],
      ['runs', 'problem', late.id],
    ]);
    await withoutServer(async () => {
      supervise(live.id);
      expect(await said()).toEqual([
        ['runs', 'note', live.id],
        ['runs', 'problem', silent.id],
        ['runs', 'note', queued.id],
      ]);
    });
    sql("UPDATE runs SET status = 'failed', finished_at = ? WHERE status = 'running'", clock.now());
    expect(await said()).toEqual([
      ['runs', 'problem', queued.id],
      ['runs', 'problem', late.id],
    ]);
  });

  test('whose plan waits for a person have their sealed file, with the reviewed digest', async () => {
    const capsule = await seedCapsule(server);
    const seal = { planFileDigest: digestOf('sealed') };
    const whole = seedPlan(server, capsule, { seal });
    const altered = seedPlan(server, capsule, { seal });
    const missing = seedPlan(server, capsule, { seal, file: false, moves: ['claim', 'requestApproval'] });
    const unsealed = seedPlan(server, capsule, { seal: null });
    const over = seedPlan(server, capsule, { seal, file: false, set: { planExpiresAt: clock.now() - 1 } });
    const builtDigest = digestOf('built');
    const [built, unbuilt] = [1, 2].map(() => seedPlan(server, capsule, { seal: { ...seal, builtDigest } }));
    put(path.relative(server.dataDir, builtArchive(at('runs', built?.id ?? ''), builtDigest)), 'built');
    await recordRunActivity();
    put(`runs/${altered.id}/plan`, 'SEALED');
    expect(await said()).toEqual([altered, missing, unsealed, unbuilt].map((plan) => ['plans', 'problem', plan?.id]));
    expect([whole, over].length).toBe(2);
  });

  test('that have ended leave no process, and every folder belongs to a known Run or Capsule', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const ended = seedRun(server, { moves: ['claim', 'fail'], set: { finishedAt: clock.now() - minute } });
    await recordRunActivity();
    supervise(ended.id);
    put('runs/plan_unknown/plan');
    put('capsules/cap_unknown/tree/main.tf');
    own(capsuleId, self());
    expect(await said()).toEqual([
      ['stray-folders', 'note', at('runs/plan_unknown')],
      ['stray-folders', 'note', at('capsules/cap_unknown')],
      ['leftovers', 'problem', ended.id],
      ['leftovers', 'problem', at('capsules', capsuleId)],
    ]);
    own(capsuleId, { ...self(), startTime: '1' });
    expect((await said()).at(-1)).toEqual(['leftovers', 'note', at('capsules', capsuleId)]);
  });
});

/** This test process, recorded as a supervisor. */
const self = () => {
  const stat = fs.readFileSync(`/proc/${process.pid}/stat`, 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return { pid: process.pid, startTime, bootId };
};
const supervise = (runId: string) => put(`runs/${runId}/supervisor.json`, JSON.stringify(self()));
const own = (capsuleId: string, identity: ReturnType<typeof self>) => {
  const gone = { ...self(), startTime: '1' };
  const owner = { runId: 'plan_x', supervisor: gone, tool: { command: 'apply', identity } };
  put(`capsules/${capsuleId}/owner.json`, JSON.stringify(owner));
};
