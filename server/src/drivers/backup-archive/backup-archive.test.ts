import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Decrypter } from 'age-encryption';
import { extract } from 'tar-stream';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BackupError,
  type BackupHead,
  type BackupInput,
  type BackupKeyPair,
  createBackupKeyPair,
  extractBackupArchive,
  readBackupArchive,
  streamBackupArchive,
  writeBackupArchive,
  writeWholeFile,
} from './index.ts';

let keys: BackupKeyPair;
beforeAll(async () => {
  keys = await createBackupKeyPair();
});
let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-backup-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const head: BackupHead = {
  kind: 'installation',
  installationId: 'inst1',
  ledgerSequence: 42,
  createdAt: '2026-11-26T07:00:00.000Z',
};
const member = (name: string, text: string | Buffer = name): BackupInput => ({
  path: name,
  open: () => Buffer.from(text),
});
const backupFile = () => path.join(root, 'all.age');
const staging = () => path.join(root, 'staging');
const write = (...members: BackupInput[]) =>
  writeBackupArchive({ file: backupFile(), manifest: head, members, encryptFor: { recipients: [keys.recipient] } });
const opened = () => ({ file: backupFile(), decryptWith: { identities: [keys.identity] } });
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    if (error instanceof BackupError) return error.code;
    throw error;
  }
};
const expectNothingExtracted = () => expect(fs.existsSync(staging())).toBe(false);

describe('a backup archive', () => {
  const large = randomBytes(3 << 20);

  it('holds the same files after a round trip, with names of any kind', async () => {
    const deep = `${'deep/'.repeat(60)}名前.txt`;
    const members: BackupInput[] = [
      { path: 'large', open: async () => fs.createReadStream(path.join(root, 'source')) },
      member('empty', ''),
      { ...member('bin/run', '#!/bin/sh\n'), executable: true },
      member(deep, 'é'),
      member('block', Buffer.alloc(512, 'x')),
    ];
    fs.writeFileSync(path.join(root, 'source'), large);
    const written = await write(...members);
    const bytes = fs.readFileSync(backupFile());
    expect(written.sizeBytes).toBe(bytes.length);
    expect(written.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    expect(fs.statSync(backupFile()).mode & 0o777).toBe(0o600);
    const manifest = await extractBackupArchive({ ...opened(), stagingDir: staging() });
    expect(manifest).toMatchObject({ format: 'groundctl-backup', version: 1, ...head });
    expect(manifest.members.map(({ path: name }) => name)).toEqual(['large', 'empty', 'bin/run', deep, 'block']);
    expect(fs.readFileSync(path.join(staging(), 'large')).equals(large)).toBe(true);
    expect(fs.readFileSync(path.join(staging(), deep), 'utf8')).toBe('é');
    expect(fs.statSync(path.join(staging(), 'empty')).size).toBe(0);
    expect(fs.statSync(path.join(staging(), 'bin/run')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(staging(), 'block')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(root).sort()).toEqual(['all.age', 'source', 'staging']);
  });

  it('opens with its passphrase only, and as any reader of age opens it', async () => {
    const passphrase = 'correct horse battery staple';
    await writeBackupArchive({
      file: backupFile(),
      manifest: head,
      members: [member('a', 'one')],
      encryptFor: { passphrase },
    });
    const read = (decryptWith: { passphrase: string } | { identities: string[] }) =>
      codeOf(extractBackupArchive({ file: backupFile(), decryptWith, stagingDir: staging() }));
    expect(await read({ passphrase: 'another one' })).toBe('backup_key_refused');
    expect(await read({ identities: [keys.identity] })).toBe('backup_key_refused');
    expectNothingExtracted();
    expect(await read({ passphrase })).toBe('accepted');
    const age = new Decrypter();
    age.addPassphrase(passphrase);
    const tar = extract();
    tar.end(Buffer.from(await age.decrypt(fs.readFileSync(backupFile()))));
    const names: string[] = [];
    for await (const entry of tar) {
      names.push(entry.header.name);
      entry.resume();
    }
    expect(names).toEqual(['manifest.json', 'a']);
  });

  it('opens with the identity of each recipient, and with no other', async () => {
    const [second, other] = await Promise.all([createBackupKeyPair(), createBackupKeyPair()]);
    await writeBackupArchive({
      file: backupFile(),
      manifest: head,
      members: [member('a')],
      encryptFor: { recipients: [keys.recipient, second.recipient] },
    });
    const open = (...identities: string[]) =>
      codeOf(readBackupArchive({ file: backupFile(), decryptWith: { identities } }));
    expect(await open(keys.identity)).toBe('accepted');
    expect(await open(second.identity)).toBe('accepted');
    expect(await open(other.identity)).toBe('backup_key_refused');
    expect(await open('AGE-SECRET-KEY-1NONE')).toBe('backup_key_refused');
    expect(await codeOf(readBackupArchive({ file: backupFile(), decryptWith: { passphrase: 'x' } }))).toBe(
      'backup_key_refused',
    );
  });

  it('returns members to a reader that uses only a part of them', async () => {
    await write(member('a', 'one'), { path: 'large', open: () => large }, member('z', 'last'));
    const seen: string[] = [];
    await readBackupArchive({
      ...opened(),
      onMember: async ({ path: name }, content) => {
        for await (const piece of content) {
          seen.push(`${name} ${piece.length > 0}`);
          break;
        }
      },
    });
    expect(seen).toEqual(['a true', 'large true', 'z true']);
  });

  it('passes on the error of a reader', async () => {
    await write(member('a'));
    const failing = () => {
      throw new TypeError('mine');
    };
    await expect(readBackupArchive({ ...opened(), onMember: failing })).rejects.toThrow(TypeError);
    await expect(readBackupArchive({ ...opened(), onManifest: failing })).rejects.toThrow('mine');
  });
});

describe('writing a backup', () => {
  it('refuses paths, duplicates and recipients before it creates a file', async () => {
    const refused = ['/a', '../a', 'a/../../b', 'a//b', './a', 'a/', 'a\\b', 'a\0', 'a\nb', 'manifest.json', ''];
    for (const name of [...refused, 'n'.repeat(256), 'p/'.repeat(2_050)])
      expect(await codeOf(write(member(name))), JSON.stringify(name)).toBe('backup_path_refused');
    expect(await codeOf(write(member('a'), member('a')))).toBe('backup_path_refused');
    expect(await codeOf(write(member('a/b'), member('a')))).toBe('backup_path_refused');
    for (const encryptFor of [
      { recipients: [] },
      { recipients: ['age1none'] },
      { recipients: [keys.identity] },
      { recipients: [keys.recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))] },
      { passphrase: '' },
    ])
      expect(await codeOf(writeBackupArchive({ file: backupFile(), manifest: head, members: [], encryptFor }))).toBe(
        'backup_recipient_invalid',
      );
    expect(fs.readdirSync(root)).toEqual([]);
  });

  it('keeps the old file and leaves nothing behind when a member changed or cannot be read', async () => {
    await write(member('a', 'one'));
    const old = fs.readFileSync(backupFile());
    let readings = 0;
    const growing = {
      path: 'a',
      open: () => {
        readings += 1;
        return Buffer.alloc(readings, 'x');
      },
    };
    expect(await codeOf(write(growing))).toBe('backup_member_changed');
    const known = { digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 3 };
    expect(await codeOf(write({ ...member('a', 'one'), known }))).toBe('backup_member_changed');
    const gone = { path: 'a', open: () => fs.createReadStream(path.join(root, 'gone')) };
    await expect(write(gone)).rejects.toThrow('ENOENT');
    expect(fs.readFileSync(backupFile()).equals(old)).toBe(true);
    expect(fs.readdirSync(root)).toEqual(['all.age']);
  });

  it('opens no stream when the file cannot be written', async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      return fs.createReadStream(import.meta.filename);
    };
    await expect(writeWholeFile(path.join(root, 'absent', 'a.age'), open)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(opened).toBe(0);
    const refused = () => Promise.reject(new Error('refused'));
    await expect(writeWholeFile(path.join(root, 'a.age'), refused)).rejects.toThrow('refused');
    expect(fs.readdirSync(root)).toEqual([]);
  });

  it('replaces what a killed write left', async () => {
    fs.writeFileSync(`${backupFile()}.partial`, 'half');
    await write(member('a'));
    expect(fs.readdirSync(root)).toEqual(['all.age']);
    expect(await codeOf(readBackupArchive(opened()))).toBe('accepted');
  });
});

describe('reading a backup', () => {
  it('refuses a truncated, changed or extended file, and leaves nothing extracted', async () => {
    await write(member('a', 'one'), member('b', randomBytes(200_000)));
    const whole = fs.readFileSync(backupFile());
    const read = async (bytes: Buffer) => {
      fs.writeFileSync(backupFile(), bytes);
      const code = await codeOf(extractBackupArchive({ ...opened(), stagingDir: staging() }));
      if (code !== 'accepted') expectNothingExtracted();
      return code;
    };
    for (const length of [0, 1, 21, 100, 200, 300, 65_536, 131_072, whole.length - 1])
      expect(await read(whole.subarray(0, length)), String(length)).toBe('backup_damaged');
    for (const at of [0, 30, 230, 100_000, whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await read(changed), String(at)).toMatch(/^backup_(?:damaged|key_refused)$/);
    }
    expect(await read(Buffer.concat([whole, Buffer.alloc(1)]))).toBe('backup_damaged');
    expect(await read(Buffer.from('not a backup'))).toBe('backup_damaged');
    expect(await read(Buffer.alloc(1 << 20, 'age-encryption.org/v1\n-> X25519 '))).toBe('backup_damaged');
    expect(await read(whole)).toBe('accepted');
  });

  it('keeps to its limits', async () => {
    await write(member('a', 'x'.repeat(1_000)), member('b', 'x'.repeat(1_000)));
    const read = (limits: object) => codeOf(readBackupArchive({ ...opened(), limits }));
    expect(await read({ members: 1 })).toBe('backup_too_large');
    expect(await read({ memberBytes: 999 })).toBe('backup_too_large');
    expect(await read({ totalBytes: 1_999 })).toBe('backup_too_large');
    expect(await read({ manifestBytes: 100 })).toBe('backup_too_large');
    expect(await read({ members: 2, memberBytes: 1_000, totalBytes: 2_000 })).toBe('accepted');
  });

  it('accepts a member of more than 8 GiB, up to its limits', async () => {
    const size = 9 * 2 ** 30;
    const manifest = { manifest: head, encryptFor: { recipients: [keys.recipient] } };
    const known = { sizeBytes: size, digest: `sha256:${'0'.repeat(64)}` };
    const open = async function* () {
      for (;;) yield Buffer.alloc(1 << 20);
    };
    const stream = await streamBackupArchive({ ...manifest, members: [{ path: 'ledger.db', known, open }] });
    const beginning: Uint8Array[] = [];
    for await (const chunk of stream) if (beginning.push(chunk) === 4) break;
    fs.writeFileSync(backupFile(), Buffer.concat(beginning));
    const seen: number[] = [];
    const read = (limits = {}) =>
      codeOf(readBackupArchive({ ...opened(), limits, onMember: ({ sizeBytes }) => void seen.push(sizeBytes) }));
    expect([await read(), seen]).toEqual(['backup_damaged', [size]]);
    expect(await read({ memberBytes: size - 1 })).toBe('backup_too_large');
  });

  it('names a missing file, and extracts into a new folder only', async () => {
    expect(await codeOf(readBackupArchive(opened()))).toBe('backup_missing');
    expect(await codeOf(readBackupArchive({ ...opened(), file: root }))).toBe('backup_missing');
    await write(member('a'));
    fs.mkdirSync(staging());
    fs.writeFileSync(path.join(staging(), 'mine'), '');
    await expect(extractBackupArchive({ ...opened(), stagingDir: staging() })).rejects.toThrow('EEXIST');
    expect(fs.readdirSync(staging())).toEqual(['mine']);
  });
});
