import { viewKeys } from '../src/compose/key-host.ts';
import { type TestServer, testKeyFile } from './harness.ts';

/** Gives seeded StateVersions a state that can be opened: some requests read it. */
export async function sealStates(
  server: TestServer,
  ids: readonly string[],
  key: { passphraseFile?: string } = {},
): Promise<void> {
  const outputs = { url: { value: 'x', type: 'string' } };
  const text = JSON.stringify({ version: 4, serial: 1, lineage: 'lineage', outputs, resources: [] });
  const { dataDir, workspaceId } = server;
  const keys = { dataDir, keySource: undefined, keyFile: testKeyFile(dataDir), passphraseFile: key.passphraseFile };
  const vault = await server.ledger((db) => viewKeys(db, keys));
  for (const row of ids) {
    const sealed = vault.seal({ table: 'state_versions', row, column: 'state', workspaceId }, Buffer.from(text));
    server.ledger(({ sqlite }) => sqlite.prepare('UPDATE state_versions SET state = ? WHERE id = ?').run(sealed, row));
  }
}
