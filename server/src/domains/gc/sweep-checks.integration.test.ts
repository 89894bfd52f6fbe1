import { describe, expect, test } from 'vitest';
import type { RunEvent } from '#shared/runs/machine';
import { clock, day, hour, server, serveSweeps, sweep } from '../../../test/gc-fixture.ts';
import { logLine, seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { newId } from '../../kernel/ids.ts';
import type { CapsuleRow } from '../capsules/index.ts';
import { createDriftStore } from '../drift/index.ts';
import { createPlansStore } from '../plans/index.ts';
import { createRunsStore } from '../runs/store.ts';
import { createUsageStore } from '../usage/index.ts';

serveSweeps();

test('plans of scheduled checks are deleted after a while, except the newest of a Capsule and that of its mark', async () => {
  const capsule = await seedCapsule(server);
  const add = (type: 'drift_check' | 'plan', createdBy: string) => {
    clock.advance(1);
    return seedPlan(server, capsule, { type, set: { createdBy }, seal: { createdAt: clock.now() } }).id;
  };
  const checks = Array.from({ length: 27 }, () => add('drift_check', 'system'));
  const marked = add('drift_check', 'system');
  const later = add('drift_check', 'system');
  const theirs = [add('drift_check', 'sub_a'), add('plan', 'system')];
  const newest = add('drift_check', 'system');
  const mark = { capsuleId: capsule.id, workspaceId: server.workspaceId, runId: marked, checkedAt: clock.now() };
  const accepted = { acknowledgedDigest: null, acknowledgedBy: null, acknowledgedAt: null, reason: null };
  server.ledger((db) =>
    createDriftStore(db).saveMark({
      ...mark,
      status: 'drifted',
      changed: 1,
      deleted: 0,
      digest: 'sha256:a',
      ...accepted,
    }),
  );
  const withPlan = (ids: readonly string[]) =>
    server.ledger((db) => ids.filter((id) => createPlansStore(db).findDocument(id) !== undefined));
  expect((await sweep({ later: 29 * day, isDiskLow: true })).removed).not.toHaveProperty('checkPlans');
  expect((await sweep({ later: day })).removed).toEqual({ checkPlans: 28 });
  expect(withPlan([...checks, later])).toEqual([]);
  const retained = [marked, ...theirs, newest];
  expect(withPlan(retained)).toEqual(retained);
  // The session of the request would have ended.
  clock.advance(-30 * day);
  const answer = await server.request('GET', `/api/v1/runs/${later}/plan`);
  expect(answer).toMatchObject({ status: 409, json: { error: { details: { reason: 'plan_deleted' } } } });
});

describe('scheduled checks', () => {
  /** Seeds an ended check with a line of its log and its usage. */
  function seedCheck(capsule: CapsuleRow, more: { driftCount?: number; moves?: RunEvent[]; createdBy?: string } = {}) {
    clock.advance(1);
    const { driftCount = 0, moves = ['claim', 'finish'], createdBy = 'system' } = more;
    const { id } = seedRun(server, {
      type: 'drift_check',
      capsuleId: capsule.id,
      moves,
      set: { createdBy, finishedAt: clock.now() },
      facts: { driftCount },
      feed: [logLine('refreshing')],
    });
    server.ledger((db) =>
      createUsageStore(db).insert({
        ...{ id: newId('usageEvent'), workspaceId: server.workspaceId, capsuleId: capsule.id, runId: id },
        ...{ kind: 'runner_minutes', quantity: 1, usdMicros: 0, ratingStatus: 'unrated', source: 'runner' },
        ...{ idempotencyKey: `${id}:runner_minutes`, createdAt: clock.now() },
      }),
    );
    return id;
  }
  const existing = (ids: readonly string[]) =>
    server.ledger((db) => ids.filter((id) => createRunsStore(db).findRun(id) !== undefined));
  const count = (text: string, ...values: unknown[]) =>
    server.ledger(({ sqlite }) =>
      sqlite
        .prepare(text)
        .pluck()
        .get(...values),
    );

  test('are deleted behind the newest 30 without findings, with their feeds; their usage and pages stay sound', async () => {
    const capsule = await seedCapsule(server);
    const checks = Array.from({ length: 53 }, () => seedCheck(capsule));
    const cancelled = seedCheck(capsule, { moves: ['claim', 'cancel'] });
    const others = [seedCheck(capsule, { createdBy: 'sub_a' }), seedRun(server, { capsuleId: capsule.id }).id];
    const query = { capsuleId: capsule.id, limit: '40' };
    const params = { workspaceId: server.workspaceId };
    const first = (await server.api.listRuns({ params, query })).body;
    expect((await sweep({ later: hour })).removed).toMatchObject({ checkRuns: 24 });
    expect(existing(checks)).toEqual(checks.slice(24));
    expect(existing([cancelled, ...others])).toHaveLength(3);
    expect(count('SELECT count(*) FROM run_feed WHERE run_id NOT IN (SELECT id FROM runs)')).toBe(0);
    const usage = 'SELECT count(*) FROM usage_events WHERE capsule_id = ?';
    expect(count(usage, capsule.id)).toBe(checks.length + 2);
    expect(count(`${usage} AND run_id IS NULL`, capsule.id)).toBe(24);
    const rest = await server.api.listRuns({ params, query: { ...query, cursor: first.nextCursor ?? '' } });
    expect([first.runs.length, rest.body.runs.length, rest.body.nextCursor]).toEqual([40, 0, undefined]);
    expect(count('PRAGMA foreign_key_check')).toBeUndefined();
  });

  test('that found something or failed stay for a while, and the one of the mark stays', async () => {
    const capsule = await seedCapsule(server);
    const [found, failed, marked] = [
      seedCheck(capsule, { driftCount: 2 }),
      seedCheck(capsule, { moves: ['claim', 'fail'] }),
      seedCheck(capsule, { driftCount: 1 }),
    ];
    const row = { capsuleId: capsule.id, workspaceId: server.workspaceId, runId: marked, checkedAt: clock.now() };
    const accepted = { acknowledgedDigest: null, acknowledgedBy: null, acknowledgedAt: null, reason: null };
    const mark = { ...row, status: 'drifted' as const, changed: 1, deleted: 0, digest: 'sha256:a', ...accepted };
    server.ledger((db) => createDriftStore(db).saveMark(mark));
    const newer = Array.from({ length: 30 }, () => seedCheck(capsule));
    expect((await sweep({ later: 29 * day })).removed).not.toHaveProperty('checkRuns');
    expect((await sweep({ later: day })).removed).toMatchObject({ checkRuns: 2 });
    expect(existing([found, failed, marked, ...newer])).toEqual([marked, ...newer]);
  });
});
