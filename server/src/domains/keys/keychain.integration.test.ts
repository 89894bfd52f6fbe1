import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { fillLedger, findLosses, keyFileOf, openKeyFixture } from '../../../test/key-fixture.ts';
import { findKeyringUnavailableReason, type Keyring, startKeyring } from '../../../test/keyring.ts';
import { entryFile } from '../../kernel/entry.ts';
import { runTool } from '../../runner/index.ts';
import { createKeySources } from './index.ts';

const unavailableReason = findKeyringUnavailableReason();
const dir = tempDir();
let keyring: Keyring;
beforeAll(async () => {
  if (!unavailableReason) keyring = await startKeyring();
}, 60_000);
afterAll(async () => {
  await keyring?.close();
  fs.rmSync(dir, { recursive: true });
});

test.skipIf(unavailableReason)(
  `a key in a real keychain opens the vault, a locked one at start seals it until it is unlocked${unavailableReason ? ` (${unavailableReason})` : ''}`,
  async () => {
    const sources = createKeySources({
      installationId: 'a data folder',
      keyFile: keyFileOf(dir),
      passphraseFile: undefined,
      env: keyring.env,
      home: dir,
      keychain: { run: runTool, nodePath: process.execPath, entry: entryFile('keychain-child') },
    });
    const open = () => openKeyFixture({ dir, sources, wanted: { kind: 'keychain', orFile: true } });
    const fixture = await open();
    expect(fixture.keys.status()).toMatchObject({ sealed: false, keySource: 'keychain' });
    fillLedger(fixture.db, fixture.vault.seal, fixture.vault.installationKey('audit'));
    await fixture.close();
    expect(fs.existsSync(keyFileOf(dir))).toBe(false);
    await keyring.lock();
    const sealed = await open();
    expect(sealed.keys.status()).toMatchObject({ sealed: true, reason: 'keychain_locked' });
    expect(await sealed.keys.unseal(undefined, 'test')).toBe(true);
    await keyring.unlock();
    expect(await sealed.keys.unseal(undefined, 'test')).toBe(false);
    expect(findLosses(sealed)).toEqual([]);
    await sealed.keys.changeKey('file', undefined, 'test');
    await sealed.close();
    const moved = await open();
    expect([moved.keys.status().keySource, findLosses(moved)]).toEqual(['file', []]);
    await moved.close();
  },
  120_000,
);
