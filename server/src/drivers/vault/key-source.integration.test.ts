import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKeyringUnavailableReason, type Keyring, startKeyring } from '../../../test/keyring.ts';
import { entryFile } from '../../kernel/entry.ts';
import { Secret } from '../../kernel/secret.ts';
import { runTool } from '../../runner/index.ts';
import {
  createKeychainSource,
  createKeyFileSource,
  createMemorySource,
  createPassphraseSource,
  type KeySource,
} from './index.ts';

const dir = mkdtempSync(path.join(os.tmpdir(), 'gc-keys-'));
afterAll(() => rmSync(dir, { recursive: true }));
const unavailableReason = findKeyringUnavailableReason();
let keyring: Keyring;
beforeAll(async () => {
  if (!unavailableReason) keyring = await startKeyring();
}, 60_000);
afterAll(() => keyring?.close());

let count = 0;
const keychain = (more: { account?: string; env?: Record<string, string>; timeoutMs?: number } = {}) =>
  createKeychainSource({
    account: more.account ?? `test ${count++}`,
    run: runTool,
    nodePath: process.execPath,
    entry: entryFile('keychain-child'),
    env: more.env ?? keyring.env,
    ...(more.timeoutMs && { timeoutMs: more.timeoutMs }),
  });

const kinds: [string, () => KeySource, string | undefined][] = [
  ['memory', createMemorySource, undefined],
  ['a key file', () => createKeyFileSource(path.join(dir, `new folder ${count}`, `${count++}.key`)), undefined],
  ['a passphrase', () => createPassphraseSource(() => new Secret('correct horse battery')), undefined],
  ['a real keychain', keychain, unavailableReason],
];

describe.each(kinds)('%s', (_, create, missing) => {
  test.skipIf(missing)(
    `returns every key it created, and only by its id${missing ? ` (${missing})` : ''}`,
    async () => {
      const source = create();
      const first = await source.make({ reuse: true });
      const second = await source.make({ reuse: false });
      expect(first.isNew && second.isNew).toBe(true);
      expect(first.key.id).toMatch(/^mk_[0-9a-f]{24}$/);
      expect(first.key.id).not.toBe(second.key.id);
      for (const { key, params } of [first, second]) {
        const read = await source.read({ id: key.id, params });
        expect(read.bytes.equals(key.bytes)).toBe(true);
      }
      await expect(source.read({ id: 'mk_other', params: first.params })).rejects.toMatchObject({
        reason: expect.stringMatching(/_wrong$/),
      });
    },
  );

  test.skipIf(missing)('deletes a key without touching the other, and may delete it again', async () => {
    const source = create();
    const first = await source.make({ reuse: true });
    const second = await source.make({ reuse: false });
    await source.remove(first.key.id);
    await source.remove(first.key.id);
    expect((await source.read({ id: second.key.id, params: second.params })).id).toBe(second.key.id);
    await source.remove(second.key.id);
    // A source that stores nothing has nothing to delete.
    if (source.kind === 'passphrase') return;
    await expect(source.read({ id: second.key.id, params: null })).rejects.toMatchObject({ reason: 'key_missing' });
  });

  test.skipIf(missing)('reports its location', () => expect(create().keyLocation).not.toBe(''));
});

describe('a random key', () => {
  test.each(kinds.slice(0, 2))(
    'that already exists in %s is used by a first start, and is not reported as new',
    async (_, create) => {
      const source = create();
      const { key } = await source.make({ reuse: true });
      expect(await source.make({ reuse: true })).toMatchObject({ key: { id: key.id }, isNew: false });
    },
  );
});

describe.skipIf(unavailableReason)('a keychain', () => {
  test('that is locked is distinguished from one without the entry, and returns the key when it is unlocked', async () => {
    const source = keychain();
    const { key } = await source.make({ reuse: false });
    await keyring.lock();
    await expect(source.read({ id: key.id, params: null })).rejects.toMatchObject({ reason: 'keychain_locked' });
    await expect(source.make({ reuse: false })).rejects.toMatchObject({ reason: 'keychain_locked' });
    await keyring.unlock();
    expect((await source.read({ id: key.id, params: null })).id).toBe(key.id);
    await expect(keychain().read({ id: key.id, params: null })).rejects.toMatchObject({ reason: 'key_missing' });
  }, 60_000);

  test('that does not answer in time counts as locked', async () => {
    await expect(keychain({ timeoutMs: 1 }).read({ id: 'mk_x', params: null })).rejects.toMatchObject({
      reason: 'keychain_locked',
    });
  });
});

test('is unavailable without a session bus, and starts no process to find one', async () => {
  const run = () => Promise.reject(new Error('started'));
  const source = createKeychainSource({ account: 'x', run, nodePath: '', entry: '', env: { DISPLAY: ':0' } });
  const pendingRead = source.read({ id: 'mk_x', params: null });
  if (process.platform === 'linux') await expect(pendingRead).rejects.toMatchObject({ reason: 'keychain_unavailable' });
});

test('is unavailable when its child ends without an answer', async () => {
  const run = async () => ({ code: 139, stdout: '', timedOut: false });
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  const source = createKeychainSource({ account: 'x', run, nodePath: '', entry: '', env });
  await expect(source.read({ id: 'mk_x', params: null })).rejects.toMatchObject({ reason: 'keychain_unavailable' });
});
