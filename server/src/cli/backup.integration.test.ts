import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { groundctl } from '../../test/command-line.ts';
import { startTestServer, type TestServer, tempDir, testKeyFile } from '../../test/harness.ts';
import { restartRestored } from '../../test/restored-fixture.ts';
import { createBackupKeyPair } from '../drivers/backup-archive/index.ts';
import { noLedgerMessage } from '../kernel/ledger-file.ts';

let server: TestServer;
let folder: string;
beforeEach(async () => {
  server = await startTestServer();
  folder = tempDir();
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

it('does not replace a file', async () => {
  const { recipient } = await createBackupKeyPair();
  const file = path.join(folder, 'ground.age');
  const backUp = () => groundctl('backup', '--all', file, '--data-dir', server.dataDir, '--recipient', recipient);
  expect(await backUp()).toMatchObject({ code: 0 });
  const bytes = fs.readFileSync(file);
  expect(await backUp()).toMatchObject({ code: 1, out: '', err: `${file} exists already. Name a new file.\n` });
  expect(fs.readFileSync(file)).toEqual(bytes);
  expect(fs.readdirSync(folder)).toEqual(['ground.age']);
});

it('requests nothing when the folder of the file does not exist', async () => {
  const { recipient } = await createBackupKeyPair();
  const file = path.join(folder, 'absent', 'ground.age');
  const { code, err } = await groundctl(
    'backup',
    '--all',
    file,
    '--data-dir',
    server.dataDir,
    '--recipient',
    recipient,
  );
  expect([code, err]).toEqual([1, `The folder of ${file} does not exist. Create it, or name another file.\n`]);
  const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'backup.started' } })).body;
  expect(events).toEqual([]);
});

it('requires a passphrase of twelve characters', async () => {
  const passphraseFile = path.join(folder, 'passphrase');
  fs.writeFileSync(passphraseFile, 'short words', { mode: 0o600 });
  const argv = ['backup', '--all', path.join(folder, 'a.age'), '--data-dir', server.dataDir];
  const { code, err } = await groundctl(...argv, '--passphrase-file', passphraseFile);
  expect([code, err]).toEqual([2, expect.stringContaining('at least 12 characters')]);
});

it.each([
  ['backup', '--all', 'a.age'],
  ['restore', 'mark'],
  ['audit', 'verify'],
])('%s %s says that a folder has no ledger', async (...argv) => {
  const { code, err } = await groundctl(...argv, '--data-dir', folder);
  expect([code, err.trim()]).toEqual([1, noLedgerMessage]);
});

it('the status of a restored installation is text without identifiers', async () => {
  await restartRestored(server);
  const { code, out } = await groundctl('installation', 'status', '--data-dir', server.dataDir);
  expect(code).toBe(3);
  expect(out).toContain('  hooks of Git hosts\n');
  expect(out).toContain('Ended at the first start:\n  sessions: 1\n');
  expect(out).not.toMatch(/[a-z]_[a-z]|[a-z][A-Z]/);
});
