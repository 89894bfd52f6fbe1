import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  at,
  clock,
  day,
  endedRun,
  filesOf,
  has,
  hour,
  put,
  server,
  serveSweeps,
  sweep,
} from '../../../test/gc-fixture.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';

serveSweeps();

describe('folders of Runs', () => {
  test('are removed when their plan cannot be applied any more, and not before', async () => {
    const capsule = await seedCapsule(server);
    const gone = await seedCapsule(server, { status: 'destroyed' });
    const expires = clock.now() + 3 * day;
    const open = seedPlan(server, capsule, { set: { planExpiresAt: expires, finishedAt: clock.now() } }).id;
    const waiting = seedPlan(server, capsule, {
      moves: ['claim', 'requestApproval'],
      set: { planExpiresAt: expires },
    }).id;
    const ended = { finishedAt: clock.now() };
    const over = [
      seedPlan(server, capsule, { set: { ...ended, planExpiresAt: clock.now() + 1 } }).id,
      seedPlan(server, capsule, { set: { ...ended, planExpiresAt: expires, supersededAt: clock.now() } }).id,
      seedPlan(server, gone, { set: { ...ended, planExpiresAt: expires } }).id,
      endedRun({ capsuleId: capsule.id, moves: ['claim', 'fail'] }),
      endedRun({ capsuleId: capsule.id, moves: ['cancel'] }),
      endedRun({ capsuleId: capsule.id, type: 'drift_check', moves: ['claim', 'finish'] }),
      endedRun({ capsuleId: capsule.id, type: 'apply', moves: ['claim', 'finish'] }, 'state-000001-aabbccdd.tfstate'),
    ];
    const busy = seedRun(server, { capsuleId: capsule.id, moves: ['claim'] }).id;
    const queued = seedRun(server, { capsuleId: capsule.id }).id;
    for (const id of [busy, queued]) put(`runs/${id}/journal.ndjson`);
    expect((await sweep({ later: hour - 1 })).removed).toEqual({});
    const { removed, freedBytes } = await sweep({ later: 1 });
    expect(removed).toEqual({ runFolders: over.length });
    expect(freedBytes).toBeGreaterThan(0);
    expect(over.filter((id) => has('runs', id))).toEqual([]);
    expect([open, waiting, busy, queued].filter((id) => !has('runs', id))).toEqual([]);
    await sweep({ later: 3 * day });
    expect([open, waiting, busy, queued].map((id) => has('runs', id))).toEqual([false, true, true, true]);
  });

  test('of actions are kept and removed with those of their Run', async () => {
    const capsule = await seedCapsule(server);
    const ended = endedRun({ capsuleId: capsule.id, type: 'apply', moves: ['claim', 'finish'] });
    const busy = seedRun(server, { capsuleId: capsule.id, type: 'apply', moves: ['claim'] }).id;
    for (const id of [ended, busy]) put(`runs/${id}.0/journal.ndjson`);
    await sweep({ later: 2 * hour });
    expect([has('runs', `${ended}.0`), has('runs', `${busy}.0`)]).toEqual([false, true]);
  });

  test('of a plan are kept while its apply is queued or running', async () => {
    const capsule = await seedCapsule(server);
    for (const [moves, isRetained] of [
      [[], true],
      [['claim'], true],
      [['claim', 'finish'], false],
      [['claim', 'fail'], false],
    ] as const) {
      const plan = seedPlan(server, capsule, { set: { finishedAt: clock.now() } });
      const apply = seedRun(server, {
        type: 'apply',
        capsuleId: capsule.id,
        planRunId: plan.id,
        moves: [...moves],
        set: { finishedAt: clock.now() },
      });
      server.ledger((db) => db.sqlite.prepare('UPDATE runs SET apply_run_id = ? WHERE id = ?').run(apply.id, plan.id));
      await sweep();
      expect([moves, has('runs', plan.id)]).toEqual([moves, isRetained]);
    }
  });

  test('of an apply that did not succeed keep their states for a month, and nothing else', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const states = ['apply.json', 'emergency.tfstate', 'errored.tfstate', 'state-000003-aabbccdd.tfstate'];
    const failed = endedRun({ capsuleId, type: 'apply', moves: ['claim', 'fail'] }, ...states);
    const recovered = endedRun({ capsuleId, moves: ['claim', 'fail'] }, 'found.tfstate');
    const empty = endedRun({ capsuleId, type: 'apply', moves: ['claim', 'fail'] }, 'apply.json');
    expect((await sweep()).removed).toEqual({ runFolders: 3 });
    expect([filesOf(failed), filesOf(recovered), filesOf(empty)]).toEqual([states, ['found.tfstate'], undefined]);
    expect((await sweep({ later: 28 * day, keepDays: 1, isDiskLow: true })).removed).toEqual({});
    expect((await sweep({ later: day })).removed).toEqual({ runFolders: 2 });
    expect([has('runs', failed), has('runs', recovered)]).toEqual([false, false]);
  });

  test('without a row are kept for a day, and states in them for a month', async () => {
    put('runs/plan_unknown/journal.ndjson');
    put('runs/apply_unknown/journal.ndjson');
    put('runs/apply_unknown/state-000001-aabbccdd.tfstate');
    expect((await sweep({ later: day - hour })).removed).toEqual({});
    expect((await sweep({ later: 2 * hour })).removed).toEqual({ runFolders: 2 });
    expect(fs.readdirSync(at('runs'))).toEqual(['apply_unknown']);
    expect(filesOf('apply_unknown')).toEqual(['state-000001-aabbccdd.tfstate']);
    await sweep({ later: 31 * day });
    expect(fs.readdirSync(at('runs'))).toEqual([]);
  });

  test('of a supervisor that is still alive are kept, whatever the ledger says', async () => {
    const id = endedRun({ moves: ['claim', 'fail'] });
    const stat = fs.readFileSync(`/proc/${process.pid}/stat`, 'latin1');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    put(`runs/${id}/supervisor.json`, JSON.stringify({ pid: process.pid, startTime, bootId }));
    expect((await sweep({ later: 40 * day })).removed).toEqual({});
    put(`runs/${id}/supervisor.json`, JSON.stringify({ pid: process.pid, startTime: '1', bootId }));
    expect((await sweep()).removed).toEqual({ runFolders: 1 });
  });
});
