import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ManifestFixture, preflightOf, startManifestFixture, uxOf } from '../../../test/manifest-server.ts';
import type { Db } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { createInstallConfigsStore } from '../install-configs/store.ts';
import { createGcStore, createSweep, gcFoldersOf } from './index.ts';

const day = 24 * 3_600_000;
let fixture: ManifestFixture;
beforeAll(async () => {
  fixture = await startManifestFixture();
});
afterAll(() => fixture.close());

const sweep = (days: number, isDiskLow = false) =>
  fixture.server.ledger((db) =>
    createSweep({
      store: createGcStore(db),
      folders: gcFoldersOf(fixture.server.dataDir),
      clock: { now: () => Date.now() + days * day },
      log: createLog('warn'),
      keepDays: 30,
      plans: { deletePlans: () => 0 },
      deleteRuns: () => 0,
      configs: { deleteProposals: (ids) => createInstallConfigsStore(db).deleteConfigs(ids) },
    })({ isDiskLow, signal: new AbortController().signal }),
  );
const ids = (): Set<string> =>
  fixture.server.ledger((db) => new Set(db.sqlite.prepare('SELECT id FROM install_configs').pluck().all() as string[]));
const set = (sql: string, ...values: string[]): void =>
  fixture.server.ledger((db: Db) => {
    expect(db.sqlite.prepare(sql).run(...values).changes).toBe(1);
  });

test('an unused proposal is deleted after a week, and never while a row references it', async () => {
  const sourceId = await fixture.synced('wiki');
  const proposed = async () => uxOf(await fixture.check(sourceId)).installConfigId;
  const checked = await fixture.check(sourceId);
  const { installConfigId: accepted } = await preflightOf(sourceId, checked);
  const installed = await fixture.install({ preflight: await preflightOf(sourceId, checked), name: 'Inspected' });
  const plain = await fixture.install({ name: 'Not inspected' });
  const failed = await fixture.install({ name: 'Failed', variables: {} });
  expect([installed.capsuleId, plain.capsuleId, failed.diagnostic?.code]).toEqual([
    expect.any(String),
    expect.any(String),
    'install_variable_required',
  ]);
  const [bound, run, planned, requested, followed, left] = [
    await proposed(),
    await proposed(),
    await proposed(),
    await proposed(),
    await proposed(),
    await proposed(),
  ];
  const [first, second] = [installed, plain];
  const { planRunId = '' } = second;
  const oneOf = (column: string) => `UPDATE install_plans SET ${column} WHERE id = ?`;
  set('UPDATE capsules SET install_config_id = ? WHERE id = ?', bound, second.capsuleId ?? '');
  set("UPDATE runs SET input = json_set(input, '$.installConfigId', ?) WHERE id = ?", run, planRunId);
  set(oneOf("facts = json_set(facts, '$.installConfigId', ?)"), planned, first.id);
  set(oneOf("request = json_set(request, '$.preflight', json_object('installConfigId', ?))"), requested, second.id);
  set(
    `UPDATE install_configs SET provenance = json_set(provenance, '$.receipt', json_object('previousInstallConfigId', ?)) WHERE id = ?`,
    followed,
    first.installConfigId ?? '',
  );
  const before = ids();
  expect((await sweep(6, true)).removed).not.toHaveProperty('proposals');
  const { removed } = await sweep(8);
  const after = ids();
  const gone = [...before].filter((id) => !after.has(id));
  expect(gone).toContain(left);
  for (const retained of [
    accepted,
    bound,
    run,
    planned,
    requested,
    followed,
    installed.installConfigId,
    plain.installConfigId,
  ])
    expect(gone).not.toContain(retained);
  expect(removed).toMatchObject({ proposals: gone.length });
  expect((await sweep(400)).removed).not.toHaveProperty('proposals');
  // The deleted rows were only proposals: nothing referenced them, and the same check creates them again.
  expect(await proposed()).toEqual(expect.any(String));
});
