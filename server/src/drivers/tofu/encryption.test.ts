import { describe, expect, it } from 'vitest';
import {
  emptyState,
  encryptionConfig,
  encryptionNames,
  isSealed,
  keyAnswer,
  openSealed,
  sealPlan,
  sealState,
} from './encryption.ts';
import { readState } from './state.ts';

const keyA = Buffer.alloc(32, 1).toString('base64');
const keyB = Buffer.alloc(32, 2).toString('base64');
const names = encryptionNames(keyA);

describe('sealing', () => {
  it('opens a sealed state to the same text and keeps lineage and serial readable', () => {
    const text = emptyState('5a6b', '1.12.6');
    const sealed = sealState(text, keyA, names);
    expect(openSealed(sealed, keyA).toString('utf8')).toBe(text);
    expect(JSON.parse(sealed)).toMatchObject({ lineage: '5a6b', serial: 0, encryption_version: 'v0' });
    expect(sealed).not.toContain('terraform_version');
  });

  it('seals the same text differently each time', () => {
    const text = emptyState('5a6b', '1.12.6');
    expect(sealState(text, keyA, names)).not.toBe(sealState(text, keyA, names));
  });

  it('opens any sealed plan bytes', () => {
    const bytes = Buffer.from([0x50, 0x4b, 0, 0xff, 0xfe]);
    expect(openSealed(Buffer.from(sealPlan(bytes, keyA, names)), keyA)).toEqual(bytes);
  });

  it('refuses another key, altered bytes and a cut file with one code', () => {
    const sealed = sealPlan(Buffer.from('secret plan'), keyA, names);
    const parsed = JSON.parse(sealed);
    const data = Buffer.from(parsed.encrypted_data, 'base64');
    data[20] = (data[20] as number) ^ 1;
    const altered = JSON.stringify({ ...parsed, encrypted_data: data.toString('base64') });
    const cut = JSON.stringify({ ...parsed, encrypted_data: 'AAAA' });
    for (const [bytes, key] of [
      [sealed, keyB],
      [altered, keyA],
      [cut, keyA],
      [sealed.slice(0, -5), keyA],
      ['plain', keyA],
    ] as const)
      expect(() => openSealed(bytes, key)).toThrow(expect.objectContaining({ code: 'seal_broken' }));
  });

  it('distinguishes sealed files from plain and truncated ones', () => {
    const sealed = sealState(emptyState('a', '1.12.6'), keyA, names);
    expect(isSealed(sealed)).toBe(true);
    expect(isSealed(Buffer.from(sealed))).toBe(true);
    for (const other of ['', '{', emptyState('a', '1.12.6'), sealed.slice(0, 40), 'PK\u0003\u0004'])
      expect(isSealed(other)).toBe(false);
  });

  it('refuses to seal a text that is not a state, and keys that are not 32 bytes', () => {
    expect(() => sealState('{"serial":1}', keyA, names)).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
    expect(() => sealPlan(Buffer.from('x'), 'AAAA', names)).toThrow(expect.objectContaining({ code: 'seal_broken' }));
  });

  it('creates a readable empty state', () => {
    expect(readState(emptyState('abc', '1.12.6'))).toMatchObject({
      lineage: 'abc',
      serial: 0,
      resourceCount: 0,
      toolVersion: '1.12.6',
    });
  });
});

describe('the configuration for the tool', () => {
  it('derives names from the key alone, different for different keys', () => {
    expect(encryptionNames(keyA)).toEqual(names);
    expect(encryptionNames(keyB)).not.toEqual(names);
    expect(names.keyProvider).toMatch(/^k[0-9a-f]{24}$/);
    expect(names.method).toMatch(/^m[0-9a-f]{24}$/);
  });

  it('names our method wherever the tool could use one of the module, and contains no key', () => {
    const text = encryptionConfig({
      names,
      command: ['/bin/cat', '/key'],
      remoteState: { default: true, targets: ['net'] },
    });
    const config = JSON.parse(text);
    const target = { method: `method.aes_gcm.${names.method}`, fallback: { method: `method.aes_gcm.${names.method}` } };
    expect(config.state).toEqual({ ...target, enforced: true });
    expect(config.plan).toEqual({ ...target, enforced: true });
    expect(config.remote_state_data_sources).toEqual({ default: target, remote_state_data_source: { net: target } });
    expect(text).not.toContain(keyA);
  });

  it('does not configure remote states that the module does not declare', () => {
    expect(JSON.parse(encryptionConfig({ names, command: ['x'] })).remote_state_data_sources).toBeUndefined();
  });

  it('answers with two JSON lines', () => {
    const lines = keyAnswer({ encryptionKey: keyA, decryptionKey: keyB })
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { magic: 'OpenTofu-External-Key-Provider', version: 1 },
      { keys: { encryption_key: keyA, decryption_key: keyB } },
    ]);
  });

  it('does not treat a file with more members than an envelope as sealed, at any size', () => {
    const bomb = Buffer.from(`{"encryption_version":"v0","encrypted_data":"x","a":[${'[],'.repeat(2_000_000)}[]]}`);
    expect(isSealed(bomb)).toBe(false);
    expect(() => openSealed(bomb, Buffer.alloc(32).toString('base64'))).toThrow(
      expect.objectContaining({ code: 'seal_broken' }),
    );
  });
});
