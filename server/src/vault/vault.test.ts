import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeyFileVault } from './vault.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-vault-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const context = { table: 'state_versions', row: 'state_1', column: 'state', workspaceId: 'ws_abc' };

test('what is sealed opens again, also after a restart', async () => {
  const sealed = (await openKeyFileVault(dir)).seal(context, Buffer.from('secret'));
  expect(sealed.includes('secret')).toBe(false);
  expect((await openKeyFileVault(dir)).open(context, sealed).toString()).toBe('secret');
});

test('a value moved to another row, column or Workspace does not open', async () => {
  const vault = await openKeyFileVault(dir);
  const sealed = vault.seal(context, Buffer.from('secret'));
  for (const other of [{ row: 'state_2' }, { column: 'plan' }, { workspaceId: 'ws_xyz' }, { table: 'outputs' }]) {
    expect(() => vault.open({ ...context, ...other }, sealed)).toThrow();
  }
});

test('every flipped bit is noticed', async () => {
  const vault = await openKeyFileVault(dir);
  const sealed = vault.seal(context, Buffer.from('s'));
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const bent = Buffer.from(sealed);
    bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => vault.open(context, bent)).toThrow();
  }
});

test('Capsules have different keys, the same one at every start', async () => {
  const vault = await openKeyFileVault(dir);
  expect(vault.capsuleKey('cap_1').equals(vault.capsuleKey('cap_2'))).toBe(false);
  expect((await openKeyFileVault(dir)).capsuleKey('cap_1').equals(vault.capsuleKey('cap_1'))).toBe(true);
});

test('the key file is private, and a damaged one is said instead of replaced', async () => {
  await openKeyFileVault(dir);
  const file = path.join(dir, 'keys', 'data.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'short');
  await expect(openKeyFileVault(dir)).rejects.toThrow('damaged');
});
