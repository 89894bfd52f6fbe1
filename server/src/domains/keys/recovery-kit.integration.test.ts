import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackupKeyPair } from '#server/drivers/backup-archive/index';
import { groundctl } from '../../../test/command-line.ts';
import { filesHolding } from '../../../test/data-files.ts';
import { startTestServer, type TestServer, tempDir, testKeyFile } from '../../../test/harness.ts';

const passphrase = 'nine quiet rivers under glass';
let server: TestServer;
let dir: string;
let passphraseFile: string;
/** A kit for a recipient is made and opened in a hundredth of the time of one with a passphrase. */
let recipient: string;
let identityFile: string;
beforeEach(async () => {
  server = await startTestServer();
  dir = tempDir();
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
  passphraseFile = privateFile('passphrase', `${passphrase}\n`);
  const pair = await createBackupKeyPair();
  recipient = pair.recipient;
  identityFile = privateFile('identity', `# a comment\n${pair.identity}\n`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  fs.rmSync(dir, { recursive: true });
});

function privateFile(name: string, text: string): string {
  const file = path.join(dir, name);
  fs.writeFileSync(file, text, { mode: 0o600 });
  return file;
}
const create = (file: string) =>
  groundctl('recovery-kit', 'create', file, '--passphrase-file', passphraseFile, '--data-dir', server.dataDir);
const createForRecipient = (file: string) =>
  groundctl('recovery-kit', 'create', file, '--recipient', recipient, '--data-dir', server.dataDir);
const check = (file: string, dataDir = server.dataDir, secret = passphraseFile) =>
  groundctl('recovery-kit', 'check', file, '--passphrase-file', secret, '--data-dir', dataDir);
const checkWithIdentity = (file: string) =>
  groundctl('recovery-kit', 'check', file, '--identity-file', identityFile, '--data-dir', server.dataDir);
const restore = (file: string, dataDir: string) =>
  groundctl('vault', 'restore-key', file, '--passphrase-file', passphraseFile, '--data-dir', dataDir);
const restoreWithIdentity = (file: string, dataDir: string) =>
  groundctl('vault', 'restore-key', file, '--identity-file', identityFile, '--data-dir', dataDir);

/** A copy of the data folder without its key, as another machine gets it. */
function copyFolder(): { copy: string; keyFile: string } {
  const copy = path.join(dir, 'copy');
  server.ledger(({ sqlite }) => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
  fs.mkdirSync(copy, { mode: 0o700 });
  fs.copyFileSync(path.join(server.dataDir, 'ledger.db'), path.join(copy, 'ledger.db'));
  const keyFile = path.join(dir, 'other-machine', 'master.key');
  vi.stubEnv('GROUNDCTL_KEY_FILE', keyFile);
  return { copy, keyFile };
}

describe('a recovery kit', () => {
  it('opens with its passphrase, fits its folder, and is private and explained', async () => {
    const file = path.join(dir, 'kit.txt');
    expect(await create(file)).toMatchObject({ code: 0 });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toContain('Without the key, no one can read it');
    const [key = ''] = fs.readFileSync(testKeyFile(server.dataDir), 'utf8').split('\n').slice(1);
    expect(text).not.toContain(key);
    expect(await check(file)).toMatchObject({ code: 0, out: expect.stringContaining('opens, and holds the key') });
    expect((await server.api.getRecoveryKit({})).body.recoveryKit).toMatchObject({ state: 'made' });
    expect(filesHolding(server.dataDir, passphrase)).toEqual([]);
    const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
    expect(events[0]).toMatchObject({ action: 'vault.recovery_kit_created', actorId: 'operator' });
  });

  it('does not replace a file', async () => {
    const file = privateFile('kit.txt', 'another kit');
    expect(await create(file)).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
    expect(fs.readFileSync(file, 'utf8')).toBe('another kit');
  });

  it('is made for an age recipient, and opens with its identity', async () => {
    const file = path.join(dir, 'kit.txt');
    expect(await createForRecipient(file)).toMatchObject({ code: 0 });
    expect(await checkWithIdentity(file)).toMatchObject({ code: 0 });
  });

  it('is refused with a wrong passphrase, for another installation, when damaged, and when it is no kit', async () => {
    const file = path.join(dir, 'kit.txt');
    await create(file);
    const wrong = privateFile('wrong', 'not the passphrase');
    const answerOf = async (work: ReturnType<typeof check>) => {
      const { code, err } = await work;
      return `${code} ${err.split('.')[0]}`;
    };
    expect(await answerOf(check(file, server.dataDir, wrong))).toBe(
      '1 This passphrase or identity does not open the kit',
    );
    const text = fs.readFileSync(file, 'utf8');
    const cut = privateFile('cut', text.replace(/(\n[A-Za-z0-9+/=]{64}){2}\n/, '\n'));
    expect(await answerOf(check(cut))).toBe('1 The kit is damaged');
    expect(await answerOf(check(passphraseFile))).toBe('1 This file is not a recovery kit');
    const other = await startTestServer();
    expect(await answerOf(check(file, other.dataDir))).toBe('1 This kit belongs to another installation');
    await other.close();
  });

  it('is out of date after the key was changed', async () => {
    const file = path.join(dir, 'kit.txt');
    await createForRecipient(file);
    await server.api.changeKey({ body: { source: 'file' } });
    expect((await server.api.getRecoveryKit({})).body.recoveryKit).toMatchObject({ state: 'outdated' });
    expect(await checkWithIdentity(file)).toMatchObject({ code: 1, err: expect.stringContaining('is out of date') });
  });

  it('puts the key back, so that a copy of the folder opens, and can be used again', async () => {
    const file = path.join(dir, 'kit.txt');
    await create(file);
    const { copy, keyFile } = copyFolder();
    expect(await restore(file, copy)).toMatchObject({ code: 0, out: expect.stringContaining(keyFile) });
    expect(await restore(file, copy)).toMatchObject({ code: 0 });
    expect(fs.readFileSync(keyFile, 'utf8')).toBe(fs.readFileSync(testKeyFile(server.dataDir), 'utf8'));
    const verified = await groundctl('audit', 'verify', '--data-dir', copy);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('The trail is whole') });
  });

  it('puts a key back that a passphrase derived, into a file', async () => {
    await server.api.changeKey({ body: { source: 'passphrase', passphrase: 'a forgotten passphrase' } });
    const file = path.join(dir, 'kit.txt');
    await createForRecipient(file);
    const { copy, keyFile } = copyFolder();
    expect(await restoreWithIdentity(file, copy)).toMatchObject({ code: 0, out: expect.stringContaining(keyFile) });
    expect(await groundctl('audit', 'verify', '--data-dir', copy)).toMatchObject({ code: 0 });
  });

  it('is not used while a server runs on the folder', async () => {
    const file = path.join(dir, 'kit.txt');
    await createForRecipient(file);
    expect(await restoreWithIdentity(file, server.dataDir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Stop it first'),
    });
  });

  it('is offered until it was made or dismissed, to the local owner only', async () => {
    const stateOf = async () => (await server.api.getRecoveryKit({})).body.recoveryKit.state;
    expect(await stateOf()).toBe('none');
    await server.api.dismissRecoveryKit({});
    await server.api.dismissRecoveryKit({});
    expect(await stateOf()).toBe('dismissed');
    const { text, fileName } = (await server.api.createRecoveryKit({ body: { passphrase } })).body;
    expect(text).toContain('BEGIN AGE ENCRYPTED FILE');
    expect(fileName).toMatch(/^ground-control-recovery-kit-.*\.txt$/);
    expect(await stateOf()).toBe('made');
    const { api } = await server.join('owner');
    await expect(api.createRecoveryKit({ body: { passphrase } })).rejects.toMatchObject({ status: 403 });
    const refused = (body: object) => server.request('POST', '/api/v1/vault/recovery-kit', body);
    for (const body of [{}, { passphrase: 'short' }, { recipient: 'age1nothing' }, { passphrase, recipient: 'age1' }])
      expect((await refused(body)).status).toBe(400);
  });
});
