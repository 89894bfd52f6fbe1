import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBackupArchive } from '#server/drivers/backup-archive/index';
import { unpackText } from '#server/kernel/packed';
import { backUp, seedApplied } from '../../../test/backup-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';
import { openTestVault } from '../../../test/state-fixture.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Row = Record<string, unknown>;

/** Records by table, and states by id, of a stored archive. */
async function membersOf(backupId: string) {
  const vault = await openTestVault(server);
  const key = server.ledger(({ sqlite }) => sqlite.prepare('SELECT * FROM backup_keys').get()) as {
    workspace_id: string;
    identity: Buffer;
  };
  const workspaceId = key.workspace_id;
  const context = { table: 'backup_keys', row: workspaceId, column: 'identity', workspaceId };
  const identity = vault.open(context, key.identity).toString();
  const records = new Map<string, Row[]>();
  const states = new Map<string, string>();
  const manifest = await readBackupArchive({
    file: path.join(server.dataDir, 'backups', `${backupId}.age`),
    decryptWith: { identities: [identity] },
    async onMember({ path: name }, content) {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const table = /^records\/(\w+)\.jsonl$/.exec(name)?.[1];
      if (table === undefined) states.set(name.replace('states/', ''), unpackText(bytes));
      else records.set(table, linesOf(bytes));
    },
  });
  return { manifest, records, states };
}

const linesOf = (bytes: Buffer): Row[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

it('takes every row of a Workspace, its states in clear, and nothing of another Workspace', async () => {
  const mine = await seedApplied(server, { generations: [{ a: 1 }, { a: 2 }] });
  const other = server.ledger((db) => addWorkspace(db, [server.subject]));
  const { manifest, records, states } = await membersOf((await backUp(server)).id);
  expect(manifest).toMatchObject({ format: 'groundctl-backup', kind: 'workspace', workspaceId: server.workspaceId });
  expect(manifest.ledgerSequence).toBeGreaterThan(0);
  const all = JSON.stringify([...records]);
  expect(all).not.toContain(other);
  const ids = (table: string, column: string) => (records.get(table) ?? []).map((row) => row[column]);
  expect(ids('workspaces', 'id')).toEqual([server.workspaceId]);
  expect(ids('capsules', 'id')).toEqual([mine.id]);
  expect(ids('state_versions', 'generation')).toEqual([1, 2]);
  expect(records.get('state_versions')?.[0]).not.toHaveProperty('state');
  expect([...states.values()].map((text) => JSON.parse(text).resources.length)).toEqual([1, 1]);
  const counted = server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT count(*) FROM runs WHERE workspace_id = ?').pluck().get(server.workspaceId),
  );
  expect(records.get('runs')?.length).toBe(counted);
});

it('takes sealed columns as the sealed bytes', async () => {
  const { records } = await membersOf((await backUp(server)).id);
  const [row] = records.get('state_projections') ?? [];
  const sealed = server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT secrets FROM state_projections WHERE state_version_id = ?').get(row?.['state_version_id']),
  ) as { secrets: Buffer };
  expect(row?.['secrets']).toEqual({ $base64: sealed.secrets.toString('base64') });
});

it('takes only the rows of one Capsule', async () => {
  const one = await seedApplied(server, { generations: [{ a: 1 }] });
  const { manifest, records, states } = await membersOf((await backUp(server, one.id)).id);
  expect(manifest).toMatchObject({ kind: 'capsule', capsuleId: one.id });
  expect(records.get('capsules')?.map(({ id }) => id)).toEqual([one.id]);
  expect(new Set(records.get('runs')?.map((row) => row['capsule_id']))).toEqual(new Set([one.id]));
  expect(records.has('connections')).toBe(false);
  expect(states.size).toBe(1);
});

it('leaves nothing but the archives in the folder', async () => {
  await backUp(server);
  const names = fs.readdirSync(path.join(server.dataDir, 'backups'));
  expect(names.filter((name) => !name.endsWith('.age'))).toEqual([]);
});
