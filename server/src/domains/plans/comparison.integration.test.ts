import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { newId } from '#server/kernel/ids';
import type { Json } from '#shared/kernel/json';
import type { InputChanges, PlanComparison } from '#shared/plans/comparison';
import type { PlanResource } from '#shared/plans/document';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const resource = (name: string, after: Json): PlanResource => ({
  address: `test_thing.${name}`,
  ...{ type: 'test_thing', name, providerName: 'example.org/test', mode: 'managed', actions: ['update'] },
  ...{ before: {}, after, afterUnknown: {}, beforeSensitive: {}, afterSensitive: {} },
});
const planOf = (capsule: CapsuleRow, resources: PlanResource[], more: Parameters<typeof seedPlan>[2] = {}) =>
  seedPlan(server, capsule, { document: { resources, resourceCount: resources.length }, ...more });
const compare = (runId: string, other: string, more = ''): Promise<RawAnswer> =>
  server.request('GET', `/api/v1/runs/${runId}/plan-comparison?with=${other}${more}`);
const comparisonIn = ({ json }: RawAnswer) => (json as { comparison: PlanComparison }).comparison;
const changesOf = async (runId: string) =>
  ((await server.request('GET', `/api/v1/runs/${runId}/input-changes`)).json as { changes: InputChanges }).changes;
const statusAndReason = ({ status, json }: RawAnswer) => [
  status,
  (json as { error: { details?: { reason?: string } } }).error.details?.reason,
];
/** Creates a configuration with these values, which the next plan of the Capsule uses. */
function configure(capsule: CapsuleRow, values: { [name: string]: Json }): string {
  const id = newId('installConfig');
  server.ledger((db) => {
    db.sqlite
      .prepare(`INSERT INTO install_configs SELECT ? AS id, ${columns(db.sqlite)} FROM install_configs WHERE id = ?`)
      .run(id, capsule.installConfigId);
    db.sqlite.prepare('UPDATE install_configs SET variable_mapping = ? WHERE id = ?').run(JSON.stringify(values), id);
  });
  return id;
}
const columns = (sqlite: { prepare(text: string): { pluck(): { all(): unknown[] } } }): string =>
  sqlite.prepare("SELECT name FROM pragma_table_info('install_configs') WHERE name <> 'id'").pluck().all().join(', ');

describe('a comparison of two plans', () => {
  it('names the earlier one first, whichever is asked for, and is read page by page', async () => {
    const capsule = await seedCapsule(server);
    const earlier = planOf(capsule, [resource('same', { n: 1 }), resource('a', { n: 1 }), resource('b', { n: 1 })]);
    const later = planOf(capsule, [resource('same', { n: 1 }), resource('a', { n: 2 }), resource('b', { n: 2 })]);
    const whole = comparisonIn(await compare(earlier.id, later.id));
    expect(whole).toMatchObject({ earlier: { runId: earlier.id }, later: { runId: later.id }, sameCount: 1 });
    expect(whole.resources.map(({ address, before, after }) => [address, before, after])).toEqual([
      ['test_thing.a', { n: 1 }, { n: 2 }],
      ['test_thing.b', { n: 1 }, { n: 2 }],
    ]);
    expect(comparisonIn(await compare(later.id, earlier.id))).toEqual(whole);
    const first = comparisonIn(await compare(later.id, earlier.id, '&limit=1'));
    expect([first.resources.length, first.resourceCount, first.nextAfter]).toEqual([1, 2, 1]);
    const second = comparisonIn(await compare(later.id, earlier.id, '&limit=1&after=1'));
    expect([...first.resources, ...second.resources]).toEqual(whole.resources);
    expect(second.nextAfter).toBeUndefined();
  });

  it('of the same plan, and of plans of two Capsules, is refused', async () => {
    const plan = planOf(await seedCapsule(server), []);
    const foreign = planOf(await seedCapsule(server), []);
    for (const other of [plan, foreign])
      expect(statusAndReason(await compare(plan.id, other.id))).toEqual([400, 'plan_not_comparable']);
  });

  it('of a Run without a plan is not available', async () => {
    const capsule = await seedCapsule(server);
    const plan = planOf(capsule, []);
    const queued = seedRun(server, { capsuleId: capsule.id });
    expect(statusAndReason(await compare(plan.id, queued.id))).toEqual([409, 'plan_not_ready']);
    const failed = seedRun(server, { capsuleId: capsule.id, moves: ['claim', 'fail'] });
    expect(statusAndReason(await compare(plan.id, failed.id))).toEqual([409, 'plan_not_available']);
    expect((await compare(plan.id, newId('plan'))).status).toBe(404);
  });

  it('with a plan of another Workspace says no more than that there is none', async () => {
    const plan = planOf(await seedCapsule(server), []);
    const workspaceId = server.ledger((db) => addWorkspace(db, [server.subject]));
    const projectId = `prj_default_${workspaceId}`;
    const foreign = planOf(await seedCapsule(server, { workspaceId, projectId }), []);
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE runs SET workspace_id = ? WHERE id = ?').run(workspaceId, foreign.id),
    );
    expect((await compare(plan.id, foreign.id)).status).toBe(404);
  });

  it('of which the digests are damaged names sensitive values as not comparable', async () => {
    const capsule = await seedCapsule(server);
    const secret = [resource('a', { token: { $svc: 'sensitive' } })];
    const [one, other] = [planOf(capsule, secret), planOf(capsule, secret)];
    server.ledger((db) =>
      db.sqlite
        .prepare('INSERT INTO plan_digests (run_id, workspace_id, sealed) VALUES (?, ?, zeroblob(64))')
        .run(other.id, capsule.workspaceId),
    );
    expect(comparisonIn(await compare(one.id, other.id)).resources).toMatchObject([{ difference: 'uncertain' }]);
  });

  it('is not for other accounts', async () => {
    const capsule = await seedCapsule(server);
    const [one, other] = [planOf(capsule, []), planOf(capsule, [])];
    const { token } = await server.join(undefined);
    const path = `/api/v1/runs/${one.id}/plan-comparison?with=${other.id}`;
    const answer = await server.request('GET', path, undefined, { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(403);
  });
});

describe('the inputs of a plan', () => {
  it('are compared with those that were last applied, whatever was planned since', async () => {
    const capsule = await seedCapsule(server);
    const configs = [{ size: 1, zone: 'a' }, { size: 2 }, { size: 3, name: 'x' }].map((values) =>
      configure(capsule, values),
    );
    const plans = configs.map((installConfigId) => planOf(capsule, [], { input: { installConfigId } }));
    const [applied, , last] = plans.map(({ id }) => id);
    seedRun(server, { type: 'apply', capsuleId: capsule.id, planRunId: applied ?? '', moves: ['claim', 'finish'] });
    const later = planOf(capsule, [], { input: { installConfigId: configs[2] ?? '' } });
    const origin = { source: 'configuration' };
    expect(await changesOf(later.id)).toEqual({
      against: { kind: 'applied', runId: applied },
      inputs: [
        { name: 'name', difference: 'added', secret: false, after: { origin, value: 'x' } },
        {
          name: 'size',
          difference: 'changed',
          secret: false,
          before: { origin, value: 1 },
          after: { origin, value: 3 },
        },
        { name: 'zone', difference: 'removed', secret: false, before: { origin, value: 'a' } },
      ],
      bindings: [],
    });
    expect(comparisonIn(await compare(last ?? '', later.id)).inputs).toEqual([]);
  });

  it('that cannot be opened are damaged, and the rest of the server goes on', async () => {
    const capsule = await seedCapsule(server);
    const [one, other] = [planOf(capsule, []), planOf(capsule, [])];
    server.ledger((db) =>
      db.sqlite.prepare("UPDATE install_configs SET secrets = x'00' WHERE id = ?").run(capsule.installConfigId),
    );
    expect(statusAndReason(await compare(one.id, other.id))).toEqual([409, 'plan_not_available']);
  });

  it('are new to a Capsule that was never applied or configured', async () => {
    const plan = planOf(await seedCapsule(server), []);
    expect(await changesOf(plan.id)).toEqual({ against: { kind: 'nothing' }, inputs: [], bindings: [] });
  });

  it('of another type of Run do not exist', async () => {
    const sync = seedRun(server, { type: 'source_sync' });
    expect((await server.request('GET', `/api/v1/runs/${sync.id}/input-changes`)).status).toBe(404);
  });
});
