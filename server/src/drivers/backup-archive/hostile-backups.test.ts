import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnyManifest,
  encryptTar,
  endOfTar,
  manifestEntry,
  manifestOf,
  membersOf,
  type TarEntry,
  tarOf,
} from '../../../test/malicious-backups.ts';
import { BackupError, type BackupKeyPair, createBackupKeyPair, extractBackupArchive } from './index.ts';

let keys: BackupKeyPair;
beforeAll(async () => {
  keys = await createBackupKeyPair();
});
let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-hostile-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const file = (name: string, text: string | Buffer = `content of ${name}`): TarEntry => ({
  path: name,
  bytes: Buffer.from(text),
});
const honest = [file('ledger.db'), file('archives/aa/one.tar', Buffer.alloc(1_000, 'x')), file('recipes/a.json')];
const limits = { members: 50, memberBytes: 100_000, totalBytes: 200_000, manifestBytes: 20_000 };

/** Extracts a file into a folder beside other files, and returns the code of the refusal. */
async function extract(bytes: Buffer): Promise<string> {
  const backup = path.join(root, 'backup.age');
  fs.writeFileSync(backup, bytes);
  fs.writeFileSync(path.join(root, 'victim'), 'untouched');
  const stagingDir = path.join(root, 'inner', 'staging');
  const code = await extractBackupArchive({
    file: backup,
    decryptWith: { identities: [keys.identity] },
    limits,
    stagingDir,
  }).then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof BackupError) return error.code;
      throw error;
    },
  );
  if (code !== 'accepted') expect(fs.existsSync(stagingDir)).toBe(false);
  expect(fs.readdirSync(root).sort()).toEqual(['backup.age', 'inner', 'victim']);
  expect(fs.readFileSync(path.join(root, 'victim'), 'utf8')).toBe('untouched');
  return code;
}

type Case = { title: string; plain: Buffer };
const forge = (title: string, entries: readonly TarEntry[], manifest: unknown = manifestOf(honest), end?: Buffer) => ({
  title,
  plain: tarOf([manifestEntry(manifest), ...entries], end),
});
const at = <T>(list: readonly T[], index: number, change: (item: T) => T[]): T[] =>
  list.flatMap((item, position) => (position === index ? change(item) : [item]));
const positions = honest.map((_, index) => index);

const order: Case[] = [
  ...positions.map((index) =>
    forge(
      `without member ${index}`,
      at(honest, index, () => []),
    ),
  ),
  ...positions.map((index) =>
    forge(
      `with member ${index} twice`,
      at(honest, index, (item) => [item, item]),
    ),
  ),
  ...positions.map((index) =>
    forge(
      `with an unlisted file before ${index}`,
      at(honest, index, (item) => [file('x'), item]),
    ),
  ),
  ...[0, 1].map((index) =>
    forge(`with member ${index} last`, [...at(honest, index, () => []), honest[index] ?? file('')]),
  ),
  forge('in reverse order', [...honest].reverse()),
  forge('with an unlisted file at the end', [...honest, file('x')]),
  forge('with a second manifest', [...honest, manifestEntry(manifestOf(honest))]),
  forge('with members twice in the manifest', [...honest, ...honest], manifestOf([...honest, ...honest])),
  { title: 'without a manifest', plain: tarOf(honest) },
  { title: 'with the manifest last', plain: tarOf([...honest, manifestEntry(manifestOf(honest))]) },
  { title: 'that is an empty tar', plain: tarOf([]) },
  { title: 'that is empty', plain: Buffer.alloc(0) },
  { title: 'that is no tar', plain: Buffer.from('hello '.repeat(500)) },
];

const content: Case[] = [
  ...positions.map((index) =>
    forge(
      `with other bytes in member ${index}`,
      at(honest, index, (item) => [{ ...item, bytes: Buffer.alloc(item.bytes.length, '!') }]),
    ),
  ),
  ...positions.map((index) =>
    forge(
      `with a longer member ${index}`,
      at(honest, index, (item) => [{ ...item, bytes: Buffer.concat([item.bytes, Buffer.from('!')]) }]),
    ),
  ),
  ...positions.map((index) =>
    forge(
      `with a shorter member ${index}`,
      at(honest, index, (item) => [{ ...item, bytes: item.bytes.subarray(1) }]),
    ),
  ),
  ...positions.map((index) =>
    forge(
      `with a false size of member ${index}`,
      at(honest, index, (item) => [{ ...item, size: item.bytes.length + 512 }]),
    ),
  ),
  forge('with the content of two members swapped', [
    { ...file('ledger.db'), bytes: Buffer.from('content of recipes/a') },
    ...honest.slice(1),
  ]),
];

const listed = (change: AnyManifest) => ({ ...membersOf(honest)[0], ...change });
const manifestWith = (title: string, more: AnyManifest): Case =>
  forge(`whose manifest has ${title}`, honest, manifestOf(honest, more));
const manifests: Case[] = [
  manifestWith('another format', { format: 'tar' }),
  manifestWith('version 0', { version: 0 }),
  manifestWith('a newer version', { version: 2 }),
  manifestWith('a version that is text', { version: '1' }),
  manifestWith('an unknown kind', { kind: 'everything' }),
  manifestWith('an unknown member', { extra: true }),
  manifestWith('no installation', { installationId: '' }),
  manifestWith('a negative sequence', { ledgerSequence: -1 }),
  manifestWith('a broken sequence', { ledgerSequence: 1.5 }),
  manifestWith('no time', { createdAt: 'yesterday' }),
  manifestWith('no list', { members: null }),
  manifestWith('a list of names', { members: ['ledger.db'] }),
  manifestWith('an empty list', { members: [] }),
  ...[
    { sizeBytes: -1 },
    { sizeBytes: 1.5 },
    { sizeBytes: '16' },
    { sizeBytes: 1e30 },
    { digest: '' },
    { digest: 'sha256:' },
    { digest: `sha256:${'0'.repeat(64)}` },
    { digest: `md5:${'0'.repeat(32)}` },
    { executable: true },
    { executable: false },
    { linkName: '/etc/passwd' },
    { path: 7 },
  ].map((change) =>
    manifestWith(`a member with ${JSON.stringify(change)}`, {
      members: [listed(change), ...membersOf(honest).slice(1)],
    }),
  ),
  forge('whose manifest is not JSON', honest, '{"format":'),
  forge('whose manifest is null', honest, 'null'),
  forge('whose manifest is a list', honest, '[]'),
  forge('whose manifest is deep', honest, '['.repeat(9_000)),
  { title: 'whose manifest is not text', plain: tarOf([{ path: 'manifest.json', bytes: Buffer.from([0xff, 0xfe]) }]) },
  {
    title: 'whose manifest is a program',
    plain: tarOf([{ ...manifestEntry(manifestOf(honest)), mode: '0000755' }, ...honest]),
  },
];

const hostilePaths = [
  '',
  '/etc/passwd',
  '//server/share',
  '..',
  '../victim',
  '../../victim',
  'a/../../victim',
  'a/..',
  './a',
  'a/./b',
  'a//b',
  'a/',
  '.',
  'C:\\victim',
  'a\\..\\victim',
  'a\nb',
  'a\u001b[2Jb',
  'manifest.json',
  'manifest.json/x',
  `${'n'.repeat(256)}`,
];
const paths: Case[] = [
  ...hostilePaths.map((name) =>
    forge(
      `with the path ${JSON.stringify(name.slice(0, 30))}`,
      [...honest, file(name, 'evil')],
      manifestOf([...honest, file(name, 'evil')]),
    ),
  ),
  ...[
    [file('a'), file('a/b')],
    [file('a/b'), file('a')],
    [file('a/b/c'), file('a/b')],
  ].map((both) => forge(`with ${both.map(({ path: name }) => name)} as file and folder`, both, manifestOf(both))),
];

const types: Case[] = ['1', '2', '3', '4', '5', '6', '7', 'L', 'K', 'g', 'S', 'V', '\0'].flatMap((type) => {
  const link = { ...file('link', ''), type, linkName: '../../victim' };
  return [
    forge(`with a listed entry of type ${JSON.stringify(type)}`, [...honest, link], manifestOf([...honest, link])),
    forge(`with an unlisted entry of type ${JSON.stringify(type)}`, [link, ...honest]),
  ];
});

const paxEntry = (records: string, size?: number): TarEntry => ({
  path: 'PaxHeader',
  bytes: Buffer.from(records),
  type: 'x',
  ...(size !== undefined && { size }),
});
const record = (text: string) => {
  const length = text.length + 4;
  return `${length} ${text}\n`;
};
const headers: Case[] = [
  ...[
    record('path=../victim'),
    record('linkname=/etc/passwd'),
    record('size=99999999999'),
    '',
    '9 path=a\n',
    '5 path',
  ].map((records) => forge(`with the extended header ${JSON.stringify(records)}`, [paxEntry(records), ...honest])),
  forge('with a large extended header', [paxEntry('x'.repeat(8_000)), ...honest]),
  forge('with an endless extended header', [paxEntry('x', 8_000_000_000), ...honest]),
  forge('with two extended headers', [paxEntry(record('path=a')), paxEntry(record('path=a')), ...honest]),
  ...[0, 100, 124, 148, 156].map((offset) =>
    forge(
      `with a damaged header at ${offset}`,
      at(honest, 1, (item) => [{ ...item, damage: (bytes) => bytes.write('~', offset) }]),
    ),
  ),
  forge(
    'with bytes in the padding',
    at(honest, 0, (item) => [{ ...item, padding: Buffer.alloc(512 - item.bytes.length, 1) }]),
  ),
  forge('without an end', honest, manifestOf(honest), Buffer.alloc(0)),
  forge('with half of an end', honest, manifestOf(honest), Buffer.alloc(512)),
  forge('with bytes after the end', honest, manifestOf(honest), Buffer.concat([endOfTar, Buffer.from('x')])),
  forge('with zeros after the end', honest, manifestOf(honest), Buffer.alloc(4_096)),
  forge('with another tar after the end', honest, manifestOf(honest), Buffer.concat([endOfTar, tarOf(honest)])),
];

const many = Array.from({ length: 51 }, (_, index) => file(`f${index}`, ''));
const bombs: Case[] = [
  forge('with too many members', many, manifestOf(many)),
  forge(
    'with a member over its limit',
    [file('big', Buffer.alloc(100_001))],
    manifestOf([file('big', Buffer.alloc(100_001))]),
  ),
  forge(
    'with all members over their limit',
    [1, 2, 3].map((n) => file(`big${n}`, Buffer.alloc(90_000))),
    manifestOf([1, 2, 3].map((n) => file(`big${n}`, Buffer.alloc(90_000)))),
  ),
  forge('that declares a huge member', honest, manifestOf([], { members: [listed({ sizeBytes: 8_000_000_000 })] })),
  { title: 'with a huge manifest', plain: tarOf([{ ...manifestEntry('x'), size: 8_000_000_000 }]) },
  { title: 'with a manifest over its limit', plain: tarOf([manifestEntry('x'.repeat(20_001))]) },
];

const malicious = [...order, ...content, ...manifests, ...paths, ...types, ...headers, ...bombs];

describe('a forged backup, encrypted for the right recipient', () => {
  it('is accepted when it is honest', async () => {
    expect(await extract(await encryptTar(forge('', honest).plain, keys.recipient))).toBe('accepted');
  });

  it.each(malicious)('is refused $title', async ({ plain }) => {
    const code = await extract(await encryptTar(plain, keys.recipient));
    expect(code).toMatch(/^backup_(?:damaged|version_unknown|path_refused|too_large)$/);
  });
});

const chunk = 65_536 + 16;
/** An honest backup of several chunks, and where its chunks begin. */
async function sealedBackup(): Promise<{ bytes: Buffer; start: number }> {
  const big = [file('big', Buffer.alloc(90_000, 'abc')), file('more', Buffer.alloc(90_000, 'def'))];
  const plain = forge('', big, manifestOf(big)).plain;
  const bytes = await encryptTar(plain, keys.recipient);
  return { bytes, start: bytes.length - (plain.length + 16 * Math.ceil(plain.length / 65_536)) };
}

type Damage = { title: string; change: (bytes: Buffer, start: number) => Buffer };
const fractions = Array.from({ length: 20 }, (_, index) => index / 20);
const flipped = (bytes: Buffer, offset: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ 0x40;
  return copy;
};
const chunks = (bytes: Buffer, start: number) => ({
  head: bytes.subarray(0, start),
  first: bytes.subarray(start, start + chunk),
  second: bytes.subarray(start + chunk, start + 2 * chunk),
  rest: bytes.subarray(start + 2 * chunk),
});
const damages: Damage[] = [
  ...fractions.map((part) => ({
    title: `truncated to ${part * 100} %`,
    change: (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * part)),
  })),
  ...fractions.map((part) => ({
    title: `changed at ${part * 100} %`,
    change: (bytes: Buffer) => flipped(bytes, Math.floor(bytes.length * part)),
  })),
  { title: 'truncated by one byte', change: (bytes) => bytes.subarray(0, -1) },
  { title: 'truncated after a chunk', change: (bytes, start) => bytes.subarray(0, start + chunk) },
  {
    title: 'with two chunks swapped',
    change: (bytes, start) => {
      const { head, first, second, rest } = chunks(bytes, start);
      return Buffer.concat([head, second, first, rest]);
    },
  },
  {
    title: 'with a chunk twice',
    change: (bytes, start) => {
      const { head, first, second, rest } = chunks(bytes, start);
      return Buffer.concat([head, first, first, second, rest]);
    },
  },
  {
    title: 'without its first chunk',
    change: (bytes, start) => {
      const { head, second, rest } = chunks(bytes, start);
      return Buffer.concat([head, second, rest]);
    },
  },
  { title: 'with a byte at its end', change: (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]) },
  { title: 'twice in one file', change: (bytes) => Buffer.concat([bytes, bytes]) },
  { title: 'with a line of a megabyte', change: () => Buffer.from(`age-encryption.org/v1\n-> ${'x'.repeat(1 << 20)}`) },
  {
    title: 'with endless keys',
    change: () => Buffer.from(`age-encryption.org/v1\n${'-> X25519 x\nabc\n'.repeat(90_000)}`),
  },
  {
    title: 'with a costly passphrase',
    change: () =>
      Buffer.from(`age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 30\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`),
  },
  { title: 'that is text', change: () => Buffer.from('not a backup') },
];

describe('a backup whose file is damaged', () => {
  it.each(damages)('is refused $title', async ({ change }) => {
    const { bytes, start } = await sealedBackup();
    expect(await extract(change(bytes, start))).toMatch(/^backup_(?:damaged|key_refused)$/);
  });
});

it('covers at least 180 damaged and hostile archives, each with its own title', () => {
  const titles = [...malicious, ...damages].map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBeGreaterThanOrEqual(180);
});
