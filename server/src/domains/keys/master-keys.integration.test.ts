import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import {
  fillLedger,
  findLosses,
  type KeyFixture,
  keyFileOf,
  makeInterimFolder,
  openKeyFixture,
  plainSources,
  versionsIn,
} from '../../../test/key-fixture.ts';
import { createKeyFileSource, createMemorySource, interimKeyFile, KeySourceError } from '../../drivers/vault/index.ts';
import { Secret } from '../../kernel/secret.ts';
import type { KeySources } from './index.ts';

let dir: string;
let fixtures: KeyFixture[];
beforeEach(() => {
  dir = tempDir();
  fixtures = [];
});
afterEach(async () => {
  for (const fixture of fixtures) await fixture.close();
  fs.rmSync(dir, { recursive: true });
});
const open = async (more: Omit<Parameters<typeof openKeyFixture>[0], 'dir'> = {}): Promise<KeyFixture> => {
  const fixture = await openKeyFixture({ dir, ...more });
  fixtures.push(fixture);
  return fixture;
};
const close = async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
};
const fill = ({ db, vault }: KeyFixture) => fillLedger(db, vault.seal, vault.installationKey('audit'));
const reasonOf = ({ vault }: KeyFixture) => vault.sealedBy?.reason;
const passphrase = new Secret('correct horse battery');

describe('a first start', () => {
  test('stores its key in a private file outside the data folder, and finds it again', async () => {
    const fixture = await open();
    fill(fixture);
    expect(fs.statSync(keyFileOf(dir)).mode & 0o777).toBe(0o600);
    expect(fixture.keys.status()).toMatchObject({
      sealed: false,
      keySource: 'file',
      place: keyFileOf(dir),
      oldKeys: 0,
    });
    await close();
    expect(findLosses(await open())).toEqual([]);
  });

  test('uses the key that a service manager provides in a read-only folder', async () => {
    fs.mkdirSync(path.dirname(keyFileOf(dir)));
    fs.writeFileSync(keyFileOf(dir), `${'ab'.repeat(32)}\n`, { mode: 0o400 });
    fs.chmodSync(path.dirname(keyFileOf(dir)), 0o500);
    const fixture = await open();
    expect(reasonOf(fixture)).toBeUndefined();
    fill(fixture);
    await close();
    expect(findLosses(await open())).toEqual([]);
    fs.chmodSync(path.dirname(keyFileOf(dir)), 0o700);
  });

  test('that cannot store a key is refused with a message', async () => {
    fs.writeFileSync(path.join(dir, 'config'), 'a file where the folder should be');
    await expect(open()).rejects.toThrow(/cannot be written.*GROUNDCTL_KEY_FILE/);
  });

  test('of two folders that share a key file at once gives both the same complete key', async () => {
    const other = tempDir();
    const shared = { sources: plainSources(dir) };
    const [one, two] = await Promise.all([
      openKeyFixture({ dir, ...shared }),
      openKeyFixture({ dir: other, ...shared }),
    ]);
    expect(one.keys.status().keyId).toBe(two.keys.status().keyId);
    expect(fs.readFileSync(keyFileOf(dir), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(fs.readdirSync(path.dirname(keyFileOf(dir)))).toEqual(['test.key']);
    // The folder that found the key must not remove it from the other.
    const late = one.store.findMaster('active')?.made === true ? two : one;
    await late.keys.changeKey('file', undefined, 'test');
    await Promise.all([one.close(), two.close()]);
    for (const folder of [dir, other]) {
      const again = await openKeyFixture({ dir: folder, ...shared });
      expect(again.vault.sealedBy).toBeUndefined();
      await again.close();
    }
    fs.rmSync(other, { recursive: true });
  });

  test('without its preferred keychain uses a file, and reports that from then on', async () => {
    const keychain = { ...createMemorySource(), kind: 'keychain' as const };
    keychain.make = () => Promise.reject(new KeySourceError('keychain_locked', 'The keychain is locked.'));
    const sources: KeySources = (kind) => (kind === 'keychain' ? keychain : plainSources(dir)(kind));
    const fixture = await open({ sources, wanted: { kind: 'keychain', orFile: true } });
    expect(fixture.keys.status()).toMatchObject({
      keySource: 'file',
      keychainMissed: 'keychain_locked',
      sealed: false,
    });
    await close();
    const again = await open({ sources, wanted: { kind: 'keychain', orFile: true } });
    expect(again.keys.status()).toMatchObject({ keySource: 'file', keychainMissed: 'keychain_locked' });
  });

  test('that requires the keychain does not fall back to a file', async () => {
    const keychain = { ...createMemorySource(), kind: 'keychain' as const };
    keychain.make = () => Promise.reject(new KeySourceError('keychain_unavailable', 'No keychain is available.'));
    const sources: KeySources = () => keychain;
    await expect(open({ sources, wanted: { kind: 'keychain', orFile: false } })).rejects.toThrow(
      'No keychain is available.',
    );
  });

  test('with a passphrase waits for it, refuses a short one, and stores none', async () => {
    const wanted = { kind: 'passphrase' as const, orFile: false };
    const fixture = await open({ wanted });
    expect(reasonOf(fixture)).toBe('passphrase_required');
    await expect(fixture.keys.unseal(new Secret('too short'), 'test')).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    expect(await fixture.keys.unseal(passphrase, 'test')).toBe(false);
    fill(fixture);
    await close();
    const again = await open({ wanted });
    expect(reasonOf(again)).toBe('passphrase_required');
    expect(await again.keys.unseal(undefined, 'test')).toBe(true);
    const wrong = again.keys.unseal(new Secret('wrong horse battery'), 'test');
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect(await again.keys.unseal(passphrase, 'test')).toBe(false);
    expect(findLosses(again)).toEqual([]);
    const everything = fs.readdirSync(dir).flatMap((name) => {
      const file = path.join(dir, name);
      return fs.statSync(file).isFile() ? [fs.readFileSync(file)] : [];
    });
    for (const bytes of everything) expect(bytes.includes(passphrase.reveal())).toBe(false);
  });

  test('accepts the passphrase of a private file, and refuses one that others can read', async () => {
    const file = path.join(dir, 'passphrase');
    fs.writeFileSync(file, `${passphrase.reveal()}\n`, { mode: 0o600 });
    const more = { sources: plainSources(dir, file), wanted: { kind: 'passphrase' as const, orFile: false } };
    expect(reasonOf(await open(more))).toBeUndefined();
    await close();
    fs.chmodSync(file, 0o644);
    expect(reasonOf(await open(more))).toBe('key_file_refused');
    await close();
    // It was typed with another form of the same character, and is the same passphrase.
    fs.rmSync(file);
    const fixture = await open(more);
    expect(await fixture.keys.unseal(new Secret(passphrase.reveal().normalize('NFD')), 'test')).toBe(false);
  });
});

describe('a start', () => {
  const broken: [string, string, () => void][] = [
    ['without its key', 'key_missing', () => fs.rmSync(keyFileOf(dir))],
    ['with another key', 'key_wrong', () => fs.writeFileSync(keyFileOf(dir), Buffer.alloc(32, 7).toString('base64'))],
    ['with a damaged key', 'key_file_refused', () => fs.writeFileSync(keyFileOf(dir), 'short')],
    ['with a key that the group can read', 'key_file_refused', () => fs.chmodSync(keyFileOf(dir), 0o640)],
    [
      'with a folder in its place',
      'key_file_refused',
      () => {
        fs.rmSync(keyFileOf(dir));
        fs.mkdirSync(keyFileOf(dir));
      },
    ],
  ];
  test.each(broken)('%s is sealed, reports %s, and opens when it is repaired', async (_, reason, harm) => {
    fill(await open());
    await close();
    fs.copyFileSync(keyFileOf(dir), path.join(dir, 'kept'));
    harm();
    const fixture = await open();
    expect(fixture.keys.status()).toMatchObject({
      sealed: true,
      reason,
      message: expect.stringMatching(/^.{20,}\.$/),
    });
    expect(() => fixture.vault.installationKey('audit')).toThrow(expect.objectContaining({ code: 'vault_sealed' }));
    expect(await fixture.keys.unseal(undefined, 'test')).toBe(true);
    fs.rmSync(keyFileOf(dir), { recursive: true, force: true });
    fs.copyFileSync(path.join(dir, 'kept'), keyFileOf(dir));
    fs.chmodSync(keyFileOf(dir), 0o600);
    expect(await fixture.keys.unseal(undefined, 'test')).toBe(false);
    expect(findLosses(fixture)).toEqual([]);
    const [last] = fixture.db.sqlite.prepare('SELECT action FROM audit_events ORDER BY seq DESC').pluck().all();
    expect(last).toBe('vault.unsealed');
  });

  test('with a canary of another ledger is sealed', async () => {
    const { db } = await open();
    db.sqlite.exec("UPDATE master_keys SET canary = cast(x'00' || substr(canary, 2) AS BLOB)");
    await close();
    expect(reasonOf(await open())).toBe('key_wrong');
  });
});

describe('the master key', () => {
  test('moves between file and passphrase and back; each time only the last place opens the vault', async () => {
    const fixture = await open();
    fill(fixture);
    const first = fixture.keys.status().keyId;
    await fixture.keys.changeKey('passphrase', passphrase, 'test');
    expect(fixture.keys.status()).toMatchObject({ keySource: 'passphrase', sealed: false });
    expect(fs.existsSync(keyFileOf(dir))).toBe(false);
    await close();
    const sealed = await open();
    expect(reasonOf(sealed)).toBe('passphrase_required');
    await sealed.keys.unseal(passphrase, 'test');
    expect(findLosses(sealed)).toEqual([]);
    await sealed.keys.changeKey('passphrase', new Secret('another horse battery'), 'test');
    await sealed.keys.changeKey('file', undefined, 'test');
    await close();
    const last = await open();
    expect(last.keys.status()).toMatchObject({ keySource: 'file', sealed: false });
    expect(last.keys.status().keyId).not.toBe(first);
    expect(findLosses(last)).toEqual([]);
    expect(last.db.sqlite.prepare('SELECT count(*) FROM master_keys').pluck().get()).toBe(1);
  });

  test('that cannot be stored in its new location stays where it was', async () => {
    const sources: KeySources = (kind, typed) =>
      kind === 'keychain' ? createKeyFileSource(path.join(dir, 'ledger.db', 'key')) : plainSources(dir)(kind, typed);
    const fixture = await open({ sources });
    fill(fixture);
    const before = fixture.keys.status();
    await expect(fixture.keys.changeKey('keychain', undefined, 'test')).rejects.toMatchObject({ code: 'conflict' });
    await expect(fixture.keys.changeKey('passphrase', new Secret('short'), 'test')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(fixture.keys.status()).toEqual(before);
    await close();
    expect(findLosses(await open())).toEqual([]);
  });

  test('that was replaced opens nothing of a copy of the ledger made afterwards', async () => {
    const fixture = await open();
    fill(fixture);
    const old = fs.readFileSync(keyFileOf(dir));
    await fixture.keys.changeKey('file', undefined, 'test');
    await close();
    fs.writeFileSync(keyFileOf(dir), old);
    expect(reasonOf(await open())).toBe('key_wrong');
  });
});

describe('data keys', () => {
  test('are rotated, and the old ones are kept as long as a Run or plan needs them', async () => {
    let uses = [{ workspaceId: 'ws_1', version: 2 }];
    const fixture = await open({ uses: () => uses });
    fill(fixture);
    const capsule = { workspaceId: 'ws_1', capsuleId: 'cap_1' };
    const key = fixture.vault.capsuleKey(capsule, 2);
    fixture.keys.rotate('test');
    expect(() => fixture.keys.rotate('test')).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(findLosses(fixture)).toEqual([]);
    await fixture.keys.settled();
    expect([findLosses(fixture), versionsIn(fixture.db)]).toEqual([[], ['0200000003']]);
    expect(fixture.keys.status()).toMatchObject({ oldKeys: 1, job: { kind: 'rotation', resealed: 97, unreadable: 0 } });
    expect(fixture.vault.capsuleKey(capsule, 2).equals(key)).toBe(true);
    uses = [];
    await close();
    const again = await open({ uses: () => uses });
    again.keys.start(() => {});
    await again.keys.settled();
    expect(again.keys.status().oldKeys).toBe(0);
    expect(() => again.vault.capsuleKey(capsule, 2)).toThrow('has been removed');
    expect(findLosses(again)).toEqual([]);
  });

  test('are kept when a value opens with none, which is left unchanged and counted', async () => {
    const fixture = await open();
    fill(fixture);
    const bend = "UPDATE sources SET hook_secret = cast(hook_secret || x'00' AS BLOB) WHERE id = 'src_1_000'";
    fixture.db.sqlite.exec(bend);
    fixture.keys.rotate('test');
    await fixture.keys.settled();
    expect(fixture.keys.status()).toMatchObject({ oldKeys: 4, job: { resealed: 96, unreadable: 1 } });
    expect(findLosses(fixture)).toEqual(['sources src_1_000']);
  });

  test('are retired while rows of a deleted Workspace are still being removed', async () => {
    const fixture = await open();
    fill(fixture);
    fixture.keys.shred('ws_1');
    fixture.keys.rotate('test');
    await fixture.keys.settled();
    expect(fixture.keys.status()).toMatchObject({ oldKeys: 0, job: { kind: 'rotation', unreadable: 0 } });
    expect(fixture.store.findNewestKey('ws_1')).toBeUndefined();
  });

  test('of a Workspace can be shredded: its values do not open any more, those of others do', async () => {
    const fixture = await open();
    fill(fixture);
    const copies = path.join(dir, 'ledger-copies');
    fs.mkdirSync(copies);
    fs.writeFileSync(path.join(copies, 'ledger-old.db'), 'x');
    const wrapped = fixture.store.findKey('ws_1', 2)?.wrapped ?? Buffer.alloc(1);
    fixture.keys.shred('ws_1');
    const lost = findLosses(fixture);
    expect(lost).toHaveLength(32);
    expect(new Set(lost.map((text) => /_1(?:_|$)/.test(text)))).toEqual(new Set([true]));
    expect(fs.readdirSync(copies)).toEqual([]);
    for (const name of ['ledger.db', 'ledger.db-wal'])
      expect(fs.readFileSync(path.join(dir, name)).includes(wrapped)).toBe(false);
  });
});

describe('a secret that is erased', () => {
  test('leaves nothing in the files of the ledger that any key opens, also inside a larger transaction', async () => {
    const fixture = await open();
    fill(fixture);
    const context = (row: string) => ({ table: 'sources', row, column: 'hook_secret', workspaceId: 'ws_1' });
    const ids = Array.from({ length: 20 }, (_, index) => `src_1_${String(index).padStart(3, '0')}`);
    const set = fixture.db.sqlite.prepare('UPDATE sources SET hook_secret = ? WHERE id = ?');
    const sealed = ids.map((id) => fixture.vault.sealSecret(context(id), new Secret(`token of ${id}`)));
    for (const [index, id] of ids.entries()) set.run(sealed[index], id);
    // Rows move between pages as the table grows and shrinks, which leaves copies of their beginnings.
    fixture.db.sqlite.exec("DELETE FROM sources WHERE id LIKE 'src_2_%'");
    fixture.keys.erase(() => fixture.db.sqlite.exec("DELETE FROM sources WHERE id = 'src_1_004'"));
    fixture.db.write(() => {
      fixture.keys.erase(() =>
        fixture.db.sqlite.exec("UPDATE sources SET hook_secret = x'00' WHERE id >= 'src_1_005'"),
      );
    });
    const files = ['ledger.db', 'ledger.db-wal'].map((name) => fs.readFileSync(path.join(dir, name)));
    for (const gone of sealed.slice(4)) {
      // Any 64 bytes from the greater part of the value; without them its key cannot be derived.
      for (let at = 600; at + 64 <= gone.length; at += 64)
        expect(files.some((bytes) => bytes.includes(gone.subarray(at, at + 64)))).toBe(false);
    }
    for (const [index, id] of ids.slice(0, 4).entries())
      expect(fixture.vault.openSecret(context(id), sealed[index] as Buffer).reveal()).toBe(`token of ${id}`);
  });
});

describe('a folder of the first versions', () => {
  test('opens at once, moves to keys of its own, and keeps nothing of the old key', async () => {
    const interim = makeInterimFolder(dir);
    const fixture = await open();
    expect([findLosses(fixture), versionsIn(fixture.db)]).toEqual([[], ['0100000001']]);
    fixture.keys.start(() => {});
    await fixture.keys.settled();
    expect([findLosses(fixture), versionsIn(fixture.db)]).toEqual([[], ['0200000002']]);
    expect(fixture.keys.status()).toMatchObject({ oldKeys: 0, job: { kind: 'retrofit', resealed: 96, unreadable: 0 } });
    const files = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files)
      expect([name, fs.readFileSync(path.join(parentPath, name)).includes(interim)]).toEqual([name, false]);
    expect(files.map(({ name }) => name)).not.toContain('ledger-old.db');
    await close();
    expect(findLosses(await open())).toEqual([]);
  });

  test('keeps the interim key sealed for reviewed plans and Runs that used it', async () => {
    makeInterimFolder(dir);
    const fixture = await open({ uses: () => [{ workspaceId: 'ws_1', version: 1 }] });
    const key = fixture.vault.capsuleKey({ workspaceId: 'ws_1', capsuleId: 'cap_1' }, 1);
    await fixture.keys.settled();
    expect(fs.existsSync(interimKeyFile(dir))).toBe(false);
    await close();
    const again = await open({ uses: () => [{ workspaceId: 'ws_1', version: 1 }] });
    expect(again.vault.capsuleKey({ workspaceId: 'ws_1', capsuleId: 'cap_1' }, 1).equals(key)).toBe(true);
    expect(again.keys.status().oldKeys).toBe(1);
  });

  test('whose new key cannot be read back keeps the old one until it can', async () => {
    makeInterimFolder(dir);
    const fixture = await open();
    fs.renameSync(keyFileOf(dir), path.join(dir, 'moved'));
    await fixture.keys.settled();
    expect([findLosses(fixture), versionsIn(fixture.db)]).toEqual([[], ['0200000002']]);
    expect([fs.existsSync(interimKeyFile(dir)), fixture.keys.status().job?.finishedAt]).toEqual([true, undefined]);
    fs.renameSync(path.join(dir, 'moved'), keyFileOf(dir));
    await fixture.keys.settled();
    expect(fs.existsSync(interimKeyFile(dir))).toBe(false);
  });

  test('whose key is missing is refused with a message', async () => {
    makeInterimFolder(dir);
    fs.rmSync(interimKeyFile(dir));
    await expect(open()).rejects.toThrow(/keys\/data\.key.*is missing.*Restore a copy/);
    expect(fs.existsSync(keyFileOf(dir))).toBe(false);
  });
});
