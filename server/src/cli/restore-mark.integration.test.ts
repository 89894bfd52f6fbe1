import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { groundctl } from '../../test/command-line.ts';
import { startTestServer, type TestServer, tempDir } from '../../test/harness.ts';
import { viewLedger } from '../kernel/db.ts';

let server: TestServer;
let copy: string;
beforeEach(async () => {
  server = await startTestServer();
  copy = tempDir();
});
afterEach(async () => {
  await server.close();
  fs.rmSync(copy, { recursive: true });
});

const markOf = (dataDir: string): unknown => {
  const ledger = viewLedger(dataDir);
  const value = ledger?.sqlite.prepare("SELECT value FROM installation WHERE name = 'restored'").pluck().get();
  ledger?.close();
  return typeof value === 'string' ? JSON.parse(value) : value;
};

test('marks a copy with its last event, again after a later restore', async () => {
  await server.api.createWorkspace({ body: { handle: 'marked' } });
  await server.api.updateWorkspace({ params: { workspaceId: server.workspaceId }, body: { displayName: 'Renamed' } });
  const last = server.ledger(({ sqlite }) => {
    sqlite.prepare('VACUUM INTO ?').run(path.join(copy, 'ledger.db'));
    return sqlite.prepare('SELECT max(seq) FROM outbox').pluck().get();
  });
  const first = await groundctl('restore', 'mark', '--data-dir', copy, '--json');
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out)).toEqual(markOf(copy));
  expect(markOf(copy)).toEqual({
    restoredAt: expect.any(String),
    backupCreatedAt: expect.any(String),
    ledgerSequence: last,
  });
  const again = await groundctl('restore', 'mark', '--data-dir', copy);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining(`Its last event is number ${last} at `)]);
});

test('refuses a folder on which a server runs, and one without a ledger', async () => {
  const running = await groundctl('restore', 'mark', '--data-dir', server.dataDir);
  expect([running.code, running.err]).toEqual([1, expect.stringContaining('A server runs on this data folder.')]);
  expect(markOf(server.dataDir)).toBeUndefined();
  const empty = await groundctl('restore', 'mark', '--data-dir', copy);
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('There is no ledger in this folder.')]);
});
