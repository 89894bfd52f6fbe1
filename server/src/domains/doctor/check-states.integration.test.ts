import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  clock,
  openVault,
  runDoctorChecks,
  said,
  serveEach,
  server,
  sql,
  withoutServer,
} from '../../../test/doctor-fixture.ts';
import { testKeyFile } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { emptyState } from '../../drivers/tofu/index.ts';
import type { Vault } from '../../drivers/vault/index.ts';
import { digestOf, jsonDigest } from '../../kernel/digest.ts';
import { createStateVersionsStore } from '../state-versions/store.ts';

describe('sealed data', () => {
  serveEach();

  test('with a missing or another key is reported, and no check that needs the key runs', async () => {
    await withoutServer(async () => {
      fs.rmSync(testKeyFile(server.dataDir));
      const reports = await runDoctorChecks();
      expect(reports.filter(({ outcome }) => outcome !== 'ok').map(({ name, outcome }) => [name, outcome])).toEqual([
        ['key', 'problem'],
        ['trail', 'skipped'],
        ['states', 'skipped'],
        ['configs', 'skipped'],
      ]);
    });
  });

  test('that was altered or moved to another row does not open', async () => {
    const one = await seedCapsule(server);
    const other = await seedCapsule(server);
    expect(await said()).toEqual([]);
    sql(
      'UPDATE sources SET hook_secret = (SELECT hook_secret FROM sources WHERE id = ?) WHERE id = ?',
      one.sourceId,
      other.sourceId,
    );
    expect(await said()).toEqual([['key', 'problem', other.sourceId]]);
  });

  test('reports an InstallConfig that was altered', async () => {
    const { installConfigId } = await seedCapsule(server);
    expect(await said()).toEqual([]);
    sql('UPDATE install_configs SET policy = \'{"allowedProviders":[]}\' WHERE id = ?', installConfigId);
    expect(await said()).toEqual([['configs', 'problem', installConfigId]]);
  });

  test('reports a StateVersion that does not open, is another, or differs from its row', async () => {
    const states: Record<string, string> = {};
    for (const name of ['whole', 'altered', 'other', 'misnamed', 'outputs'])
      states[name] = await commitState((await seedCapsule(server)).id, name);
    expect(await said()).toEqual([]);
    const flip = "substr(state, 1, length(state) - 1) || x'00'";
    sql(`UPDATE state_versions SET state = CAST(${flip} AS BLOB) WHERE id = ?`, states['altered']);
    sql('UPDATE state_versions SET state_digest = ? WHERE id = ?', digestOf('another'), states['other']);
    sql('UPDATE state_versions SET serial = serial + 1 WHERE id = ?', states['misnamed']);
    sql('UPDATE outputs SET workspace_outputs = \'{"a":2}\' WHERE state_version_id = ?', states['outputs']);
    const subjects = (await said()).filter(([name]) => name === 'states').map(([, , subject]) => subject);
    expect(subjects.sort()).toEqual(['altered', 'other', 'misnamed', 'outputs'].map((name) => states[name]).sort());
    sql('UPDATE capsules SET current_state_generation = 7 WHERE current_state_version_id = ?', states['whole']);
    expect((await said()).filter(([name]) => name === 'capsules').length).toBe(1);
  });
});

/** A state sealed with the server's own key, which becomes the current one of the Capsule. */
async function commitState(capsuleId: string, id: string): Promise<string> {
  const { workspaceId } = server;
  const text = emptyState(`lineage-${id}`, '1.12.6');
  const context = { table: 'state_versions', row: id, column: 'state', workspaceId };
  const sealed = await sealAs(context, text);
  const shown = { a: 1 };
  server.ledger((db) => {
    const store = createStateVersionsStore(db);
    const stamps = { workspaceId, capsuleId, createdAt: clock.now() };
    store.insertState({
      ...stamps,
      id,
      environment: 'test',
      generation: 1,
      createdByRunId: `apply_${id}`,
      sourceSnapshotId: null,
      resourceCount: 0,
      partial: false,
      lineage: `lineage-${id}`,
      serial: 0,
      toolName: 'tofu',
      stateDigest: digestOf(text),
      state: sealed,
    });
    store.insertOutput({
      ...stamps,
      id: `out_${id}`,
      stateVersionId: id,
      stateGeneration: 1,
      publicOutputs: shown,
      workspaceOutputs: shown,
      outputDigest: jsonDigest(shown),
    });
    db.sqlite
      .prepare('UPDATE capsules SET current_state_version_id = ?, current_state_generation = 1 WHERE id = ?')
      .run(id, capsuleId);
  });
  return id;
}
const sealAs = async (context: Parameters<Vault['seal']>[0], text: string): Promise<Buffer> =>
  (await openVault(server.ledger((db) => db))).seal(context, Buffer.from(text));
