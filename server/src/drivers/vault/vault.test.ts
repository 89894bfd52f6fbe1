import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createLooseKeyRegistry, createLooseVault } from '../../../test/loose-vault.ts';
import { Secret } from '../../kernel/secret.ts';
import { createVault, KeySourceError, masterKeyOf, newKeyBytes, opensCanary, sealCanary } from './index.ts';

const context = { table: 'state_versions', row: 'state_1', column: 'state', workspaceId: 'ws_abc' };
const others = [
  { row: 'state_2' },
  { column: 'plan' },
  { workspaceId: 'ws_xyz' },
  { workspaceId: '' },
  { table: 'outputs' },
];
const plain = Buffer.from('secret');

/** Yields the bytes with one bit flipped, each bit in turn. */
function* bent(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield copy;
  }
}

describe('a sealed value', () => {
  test('opens again, even in a vault opened later with the same master key', () => {
    const registry = createLooseKeyRegistry();
    const master = newKeyBytes();
    const sealed = createLooseVault(registry, master).seal(context, plain);
    expect(sealed.includes('secret')).toBe(false);
    expect(createLooseVault(registry, master).open(context, sealed)).toEqual(plain);
  });

  test('does not open in another row, column, table or Workspace, nor with another master key', () => {
    const registry = createLooseKeyRegistry();
    const vault = createLooseVault(registry);
    for (const other of others) vault.seal({ ...context, ...other }, plain);
    const sealed = vault.seal(context, plain);
    for (const other of others) expect(() => vault.open({ ...context, ...other }, sealed)).toThrow();
    expect(() => createLooseVault(registry).open(context, sealed)).toThrow();
  });

  test('with any flipped bit or cut end is refused', () => {
    const vault = createLooseVault();
    const sealed = vault.seal(context, Buffer.from('s'));
    for (const other of bent(sealed)) expect(() => vault.open(context, other)).toThrow();
    for (let length = 0; length < sealed.length; length++)
      expect(() => vault.open(context, sealed.subarray(0, length))).toThrow();
  });

  test('that is empty or large is returned unchanged', () => {
    const vault = createLooseVault();
    for (const bytes of [Buffer.alloc(0), randomBytes(8_388_608)])
      expect(vault.open(context, vault.seal(context, bytes)).equals(bytes)).toBe(true);
  });

  test('never prints its secret', () => {
    const vault = createLooseVault();
    const secret = vault.openSecret(context, vault.sealSecret(context, new Secret('hunter2hunter2')));
    expect(secret.reveal()).toBe('hunter2hunter2');
    expect(inspect({ secret, vault }, { depth: 5, showHidden: true })).not.toContain('hunter2');
  });
});

describe('keys', () => {
  test('in the ledger are bound to scope, version and master key: none opens altered, moved or exchanged', () => {
    const registry = createLooseKeyRegistry();
    const master = newKeyBytes();
    const vault = createLooseVault(registry, master);
    for (const workspaceId of ['ws_abc', 'ws_xyz']) vault.seal({ ...context, workspaceId }, plain);
    const [one, other] = registry.keys;
    if (!one || !other) throw new Error('two keys');
    const fresh = () => createLooseVault(registry, master);
    fresh().verify([one, other]);
    for (const wrapped of bent(one.wrapped)) expect(() => fresh().verify([{ ...one, wrapped }])).toThrow();
    const moved = [{ scope: other.scope }, { version: 3 }, { masterKeyId: 'mk_other' }, { wrapped: other.wrapped }];
    for (const change of moved) expect(() => fresh().verify([{ ...one, ...change }])).toThrow();
  });

  test('of Capsules differ by Capsule, Workspace and version, and are the same at every start', () => {
    const registry = createLooseKeyRegistry();
    const master = newKeyBytes();
    const vault = createLooseVault(registry, master);
    const version = vault.keyVersion('ws_a');
    vault.keyVersion('ws_b');
    vault.renew('ws_a');
    const capsule = { workspaceId: 'ws_a', capsuleId: 'cap_1' };
    const all = [
      vault.capsuleKey(capsule, version),
      vault.capsuleKey(capsule, version + 1),
      vault.capsuleKey({ ...capsule, capsuleId: 'cap_2' }, version),
      vault.capsuleKey({ ...capsule, workspaceId: 'ws_b' }, version),
    ].map((key) => key.toString('hex'));
    expect(new Set(all).size).toBe(4);
    expect(all[0]).toHaveLength(64);
    expect(createLooseVault(registry, master).capsuleKey(capsule, version).toString('hex')).toBe(all[0]);
    expect(() => vault.capsuleKey(capsule, version + 9)).toThrow('has been removed');
  });

  test('of two versions both open values, and the newest seals', () => {
    const vault = createLooseVault();
    const old = vault.seal(context, plain);
    expect(vault.isNewest(context, old)).toBe(true);
    expect(vault.renew('ws_abc')).toBe(vault.keyVersion('ws_abc'));
    expect(vault.isNewest(context, old)).toBe(false);
    expect(vault.open(context, old)).toEqual(plain);
    expect(vault.isNewest(context, vault.seal(context, plain))).toBe(true);
  });

  test('of the installation outlive new versions and another master key', () => {
    const registry = createLooseKeyRegistry();
    const vault = createLooseVault(registry);
    const audit = vault.installationKey('audit');
    expect(audit).toMatch(/^[0-9a-f]{64}$/);
    expect(vault.installationKey('cursors')).not.toBe(audit);
    vault.renew('installation');
    const master = newKeyBytes();
    const rows = registry.keys.map((row) => vault.rewrap(row, masterKeyOf(master)));
    registry.keys.splice(0, registry.keys.length, ...rows);
    expect(createLooseVault(registry, master).installationKey('audit')).toBe(audit);
  });

  test('whose transaction was rolled back seal nothing afterwards', () => {
    const registry = createLooseKeyRegistry();
    let waiting: (() => void)[] = [];
    let isOpen = false;
    registry.afterCommit = (work) => (isOpen ? void waiting.push(work) : work());
    const vault = createLooseVault(registry);
    isOpen = true;
    const lost = vault.seal(context, plain);
    expect(vault.open(context, lost)).toEqual(plain);
    // The transaction rolls back: its rows are gone and no commit callback runs.
    registry.keys.length = 0;
    waiting = [];
    isOpen = false;
    const committedValue = vault.seal(context, plain);
    expect(() => vault.open(context, lost)).toThrow();
    expect(vault.open(context, committedValue)).toEqual(plain);
    expect(registry.keys).toHaveLength(1);
  });
});

describe('the canary', () => {
  test('distinguishes the right master key from any other, and detects changes', () => {
    const master = masterKeyOf(newKeyBytes());
    const canary = sealCanary(master);
    expect(opensCanary(master, canary)).toBe(true);
    expect(opensCanary(masterKeyOf(newKeyBytes()), canary)).toBe(false);
    for (const other of bent(canary)) expect(opensCanary(master, other)).toBe(false);
  });
});

describe('a sealed vault', () => {
  test('refuses every call with the reason, without a path', () => {
    const vault = createVault(createLooseKeyRegistry());
    vault.lock(new KeySourceError('key_missing', 'The key file /home/ada/x.key is not there.'));
    const calls = [
      () => vault.seal(context, plain),
      () => vault.keyVersion('ws_a'),
      () => vault.installationKey('audit'),
      () => vault.capsuleKey({ workspaceId: 'ws_a', capsuleId: 'cap_1' }, 2),
    ];
    for (const call of calls) {
      expect(call).toThrow(
        expect.objectContaining({ code: 'vault_sealed', status: 503, details: { reason: 'key_missing' } }),
      );
      expect(call).not.toThrow('/home');
    }
  });

  test('drops all its keys', () => {
    const vault = createLooseVault();
    const sealed = vault.seal(context, plain);
    vault.installationKey('audit');
    vault.lock(new KeySourceError('key_wrong', 'no'));
    expect(() => vault.open(context, sealed)).toThrow(expect.objectContaining({ code: 'vault_sealed' }));
    expect(() => vault.installationKey('audit')).toThrow(expect.objectContaining({ code: 'vault_sealed' }));
  });
});

describe('values that the first versions sealed', () => {
  const interim = randomBytes(32);
  const derive = (info: string) => Buffer.from(hkdfSync('sha256', interim, Buffer.alloc(0), info, 32));
  /** Seals a value in the way of the first versions. */
  function sealAsBefore(): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', derive('data'), nonce, { authTagLength: 16 });
    cipher.setAAD(Buffer.from(JSON.stringify(['state_versions', 'state_1', 'state', 'ws_abc', 1])));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), nonce, cipher.getAuthTag(), body]);
  }

  test('open while their key exists, and are not sealed with the newest key', () => {
    const vault = createLooseVault();
    vault.adopt({ scope: 'interim', version: 1 }, interim);
    const sealed = sealAsBefore();
    expect(vault.open(context, sealed)).toEqual(plain);
    expect(vault.isNewest(context, sealed)).toBe(false);
    for (const other of bent(sealed)) expect(() => vault.open(context, other)).toThrow();
    for (const other of others) expect(() => vault.open({ ...context, ...other }, sealed)).toThrow();
    expect(() => createLooseVault().open(context, sealed)).toThrow('has been removed');
  });

  test('keep the derived keys of Capsules and of the installation unchanged', () => {
    const vault = createLooseVault();
    vault.adopt({ scope: 'interim', version: 1 }, interim);
    vault.carryOver(interim);
    expect(vault.capsuleKey({ workspaceId: 'ws_a', capsuleId: 'cap_1' }, 1)).toEqual(derive('capsule:1:cap_1'));
    for (const purpose of ['audit', 'cursors', 'receipts', 'install-config-digest'])
      expect(vault.installationKey(purpose)).toBe(derive(`installation:${purpose}`).toString('hex'));
  });
});
