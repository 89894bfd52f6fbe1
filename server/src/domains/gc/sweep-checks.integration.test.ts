import { expect, test } from 'vitest';
import { clock, day, server, serveSweeps, sweep } from '../../../test/gc-fixture.ts';
import { seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';
import { createDriftStore } from '../drift/index.ts';
import { createPlansStore } from '../plans/index.ts';

serveSweeps();

test('plans of scheduled checks are deleted after a while, except the newest of a Capsule and that of its mark', async () => {
  const capsule = await seedCapsule(server);
  const add = (type: 'drift_check' | 'plan', createdBy: string) => {
    clock.advance(1);
    return seedPlan(server, capsule, { type, set: { createdBy }, seal: { createdAt: clock.now() } }).id;
  };
  const checks = Array.from({ length: 60 }, () => add('drift_check', 'system'));
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
  expect((await sweep({ later: day })).removed).toEqual({ checkPlans: 61 });
  expect(withPlan([...checks, later])).toEqual([]);
  const retained = [marked, ...theirs, newest];
  expect(withPlan(retained)).toEqual(retained);
  // The session of the request would have ended.
  clock.advance(-30 * day);
  const answer = await server.request('GET', `/api/v1/runs/${later}/plan`);
  expect(answer).toMatchObject({ status: 409, json: { error: { details: { reason: 'plan_deleted' } } } });
});
