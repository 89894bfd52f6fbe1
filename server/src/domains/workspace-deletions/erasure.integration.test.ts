import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { awsBody, canary } from '../../../test/connection-bodies.ts';
import { filesHolding } from '../../../test/data-files.ts';
import { addFormResource } from '../../../test/form-resource-records.ts';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';
import { seedOneOfEach } from '../../../test/one-of-each.ts';
import { makeToken } from '../../../test/tokens.ts';
import { viewKeys } from '../../compose/key-host.ts';
import { sealedColumns } from '../../compose/sealed-columns.ts';
import { viewLedger } from '../../kernel/db.ts';
import { verifyTrail } from '../activity/index.ts';
import { actingTables, historyTables } from './tables.ts';

type Sealed = { table: string; column: string; row: string; sealed: Buffer };

const erased = [...actingTables, ...historyTables];
let server: TestServer;
/** The Workspace that is deleted, and one beside it with the same records. */
let leaving: TestServer;
let staying: TestServer;
/** One record of each kind of the leaving Workspace, by the name of its path parameter. */
let records: Record<string, string>;
let boundToken: string;
let before: { keys: Buffer[]; sealed: Sealed[]; staying: Record<string, number> };

beforeAll(async () => {
  server = await startTestServer();
  const make = async (handle: string) => ({
    ...server,
    workspaceId: (await server.api.createWorkspace({ body: { handle } })).body.workspace.id,
  });
  [leaving, staying] = [await make('leaving'), await make('staying')];
  records = { ...(await seedOneOfEach(leaving)), formResourceId: addFormResource(server, leaving.workspaceId) };
  addFormResource(server, staying.workspaceId);
  await server.api.createConnection({ body: awsBody(leaving.workspaceId) as never });
  await server.api.createWebhook({
    params: { workspaceId: staying.workspaceId },
    body: { name: 'w', url: 'https://receiver.invalid/', events: ['webhook.disabled'] },
  });
  boundToken = (await makeToken(server, { scopes: ['admin'], workspace_id: leaving.workspaceId })).token;
  // The syncs of an installation; nothing executes the Runs that were only inserted.
  for (const runId of busyRuns('source_sync')) await server.ended(runId);
  server.ledger(({ sqlite }) => sqlite.exec("UPDATE runs SET status = 'cancelled' WHERE status = 'queued'"));
  before = { keys: keysOf(leaving.workspaceId), sealed: sealedOf(leaving.workspaceId), staying: countOf(staying) };
  const { preview } = (await server.api.previewWorkspaceDeletion({ params: { workspaceId: leaving.workspaceId } }))
    .body;
  const leaveCapsuleIds = preview.capsulesWithResources.map(({ id }) => id);
  const body = { workspaceId: leaving.workspaceId, confirmHandle: 'leaving', leaveCapsuleIds };
  await server.api.deleteWorkspace({ body });
  await finished(leaving.workspaceId);
}, 60_000);
afterAll(() => server.close());

async function finished(deletedWorkspaceId: string): Promise<void> {
  for (;;) {
    const { deletion } = (await server.api.getWorkspaceDeletion({ params: { deletedWorkspaceId } })).body;
    if (deletion.status === 'deleted') return;
  }
}
const busyRuns = (type: string) =>
  server.ledger(
    ({ sqlite }) =>
      sqlite
        .prepare("SELECT id FROM runs WHERE type = ? AND status IN ('queued', 'running')")
        .pluck()
        .all(type) as string[],
  );
const keysOf = (scope: string) =>
  server.ledger(
    ({ sqlite }) => sqlite.prepare('SELECT wrapped FROM data_keys WHERE scope = ?').pluck().all(scope) as Buffer[],
  );
const countOf = ({ workspaceId }: TestServer) =>
  server.ledger(({ sqlite }) =>
    Object.fromEntries(
      erased.map(({ name, where }) => [
        name,
        sqlite.prepare(`SELECT count(*) FROM ${name} WHERE ${where}`).pluck().get({ workspaceId }) as number,
      ]),
    ),
  );
const sealedOf = (workspaceId: string): Sealed[] =>
  server.ledger(({ sqlite }) =>
    sealedColumns
      .filter(({ workspace }) => workspace !== null)
      .flatMap(({ table, column, id = 'id' }) =>
        (
          sqlite
            .prepare(
              `SELECT ${id} AS row, ${column} AS sealed FROM ${table} WHERE workspace_id = ? AND length(${column}) > 0`,
            )
            .all(workspaceId) as Pick<Sealed, 'row' | 'sealed'>[]
        ).map((found) => ({ table, column, ...found })),
      ),
  );

test('no row of the Workspace is left, and those of another Workspace are untouched', () => {
  expect(Object.values(countOf(leaving)).filter((rows) => rows > 0)).toEqual([]);
  expect(countOf(staying)).toEqual(before.staying);
  const violations = server.ledger(({ sqlite }) => sqlite.pragma('foreign_key_check'));
  expect(violations).toEqual([]);
});

test('neither its wrapped keys nor the secrets are in a file of the data folder', () => {
  expect([before.keys.length, before.sealed.length > 3, keysOf(leaving.workspaceId)]).toEqual([1, true, []]);
  expect(filesHolding(server.dataDir, ...before.keys)).toEqual([]);
  expect(filesHolding(server.dataDir, canary('key'), canary('id'))).toEqual([]);
});

test('a sealed value that someone kept opens no more, and one of another Workspace does', async () => {
  const view = viewLedger(server.dataDir);
  if (!view) throw new Error('there is no ledger');
  const keys = { keySource: undefined, keyFile: testKeyFile(server.dataDir), passphraseFile: undefined };
  const vault = await viewKeys(view, { dataDir: server.dataDir, ...keys });
  const open = (workspaceId: string, { sealed, ...context }: Sealed) =>
    vault.open({ ...context, workspaceId }, sealed).length;
  for (const one of before.sealed) expect(() => open(leaving.workspaceId, one)).toThrow();
  const other = sealedOf(staying.workspaceId).filter(({ table }) => table === 'webhooks');
  expect(other.map((one) => open(staying.workspaceId, one) > 0)).toEqual([true, true]);
  view.close();
});

test('the audit trail of the installation is whole, and names what was left and ended', async () => {
  const view = viewLedger(server.dataDir);
  if (!view) throw new Error('there is no ledger');
  const keys = { keySource: undefined, keyFile: testKeyFile(server.dataDir), passphraseFile: undefined };
  const vault = await viewKeys(view, { dataDir: server.dataDir, ...keys });
  expect(verifyTrail(view, vault.installationKey('audit')).broken).toBeUndefined();
  view.close();
  const rows = server.ledger(({ sqlite }) =>
    sqlite
      .prepare("SELECT action, metadata FROM audit_events WHERE workspace_id = ? AND action LIKE 'workspace.%'")
      .all(leaving.workspaceId),
  ) as { action: string; metadata: string }[];
  expect(rows.map(({ action }) => action)).toEqual(['workspace.created', 'workspace.deleted', 'workspace.erased']);
  expect(JSON.parse(rows[1]?.metadata ?? '')).toMatchObject({ handle: 'leaving', capsules: 2, tokens: 1, members: 1 });
});

const reads = apiTables
  .flatMap((table): [string, Endpoint][] => Object.entries(table))
  .filter(([, { method, params, class: by }]) => method === 'GET' && params !== undefined && by !== 'X');

test('every read of its records answers 404', async () => {
  const statuses = new Map<string, number>();
  for (const [name, endpoint] of reads) {
    const parameters = fullPath(endpoint).match(/:\w+/g) ?? [];
    const first = parameters[0]?.slice(1) ?? '';
    if (first === 'subject' || records[first] === undefined) continue;
    const address = fullPath(endpoint).replace(/:(\w+)/g, (_, parameter) => records[parameter] ?? 'nothing');
    const token = endpoint.class === 'Op' ? server.operatorToken : server.token;
    const answer = await server.raw({ path: address, headers: { authorization: `Bearer ${token}` } });
    statuses.set(name, answer.status);
  }
  expect(statuses.size).toBeGreaterThan(40);
  expect([...statuses].filter(([, status]) => status !== 404)).toEqual([]);
});

test('no list, search or page shows it, and its token is not known any more', async () => {
  const { api } = server;
  const shown = JSON.stringify([
    (await api.listWorkspaces({ query: { includeArchived: 'true' } })).body,
    (await api.listWorkspaceInventory({})).body,
    (await api.getBootstrap({ query: { workspaceId: leaving.workspaceId } })).body,
    (await api.getOverview({ query: { workspaceId: leaving.workspaceId } })).body,
    (await api.search({ query: { q: 'leaving' } })).body,
    (await api.search({ query: { q: records['capsuleId'] ?? '' } })).body,
    (await api.listTokens({})).body,
  ]);
  expect(shown).not.toContain(leaving.workspaceId);
  expect(shown).not.toContain(records['capsuleId']);
  await expect(server.as(boundToken).listWorkspaces({})).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
});

test('a start afterwards finds nothing to do', async () => {
  await server.restart();
  expect(Object.values(countOf(leaving)).filter((rows) => rows > 0)).toEqual([]);
  expect(countOf(staying)['workspaces']).toBe(1);
  const folders = ['runs', 'capsules'].map((name) => path.join(server.dataDir, name));
  const ids = folders.flatMap((folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []));
  expect(ids.filter((name) => name === records['runId'] || name === records['capsuleId'])).toEqual([]);
});
