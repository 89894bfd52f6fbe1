import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { zip } from './zip.ts';

/** An archive that must not be unpacked, with the code of its refusal. */
export type HostileArchive = {
  name: string;
  ending: 'zip' | 'tgz';
  code: string;
  bytes: () => Promise<Buffer> | Buffer;
};
/** An archive of which some entries are left out. */
export type PartialArchive = {
  name: string;
  ending: 'zip' | 'tgz';
  leftOut: string;
  bytes: () => Promise<Buffer> | Buffer;
};

type TarEntry = Partial<Header> & { name: string; text?: string };

async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { text = '', ...header } of entries) tar.entry(header, text);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export const tarGz = async (entries: readonly TarEntry[]): Promise<Buffer> => gzipSync(await tarOf(entries));

/** Changes bytes of a ZIP: `local` in the header of the first file, `central` in its entry of the directory. */
function patched(bytes: Buffer, { local = () => {}, central = () => {} }: Patches): Buffer {
  const copy = Buffer.from(bytes);
  local(copy);
  central(copy.subarray(copy.indexOf('PK\u0001\u0002', 'latin1')));
  return copy;
}
type Patches = { local?: (bytes: Buffer) => void; central?: (entry: Buffer) => void };

/** Unix mode of the first entry of a ZIP. */
const withMode = (bytes: Buffer, mode: number): Buffer =>
  patched(bytes, {
    central: (entry) => {
      entry.writeUInt16LE(0x0314, 4);
      entry.writeUInt32LE((mode << 16) >>> 0, 38);
    },
  });

/** A tar whose first header is changed, with a correct checksum. */
async function tarWith(change: (header: Buffer) => void): Promise<Buffer> {
  const tar = await tarOf([{ name: 'main.tf', text: 'x' }]);
  change(tar.subarray(0, 512));
  tar.write('        ', 148, 'latin1');
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return gzipSync(tar);
}

const zipped = (name: string, code: string, bytes: () => Buffer): HostileArchive => ({
  name,
  ending: 'zip',
  code,
  bytes,
});
const tarred = (name: string, code: string, bytes: () => Promise<Buffer> | Buffer): HostileArchive => ({
  name,
  ending: 'tgz',
  code,
  bytes,
});

const hostileNames = [
  '../main.tf',
  'a/../../main.tf',
  '/etc/main.tf',
  'C:\\main.tf',
  'a\\..\\main.tf',
  'a/.. /main.tf',
  'a/.GIT/config',
  'a/git~1/config',
  'a/.git./config',
  'main.tf::$DATA',
  'a\u0001b.tf',
  'a\nb.tf',
  `${'a/'.repeat(70)}main.tf`,
  'n'.repeat(300),
];
const codeOfName = (name: string): string => (name.startsWith('a/a/') ? 'package_too_large' : 'package_refused');

/** Both of each pair are one file on some systems, or in one archive. */
const collisions: readonly (readonly [string, string])[] = [
  ['main.tf', 'main.tf'],
  ['main.tf', 'Main.tf'],
  ['net/main.tf', 'NET/other.tf'],
  ['\u00e9.tf', 'e\u0301.tf'],
  ['main.tf', './main.tf'],
  ['net', 'net/main.tf'],
];

const megabyte = 'x'.repeat(1 << 20);

export const hostileArchives: readonly HostileArchive[] = [
  ...hostileNames.flatMap((name) => [
    zipped(`the name ${JSON.stringify(name.slice(0, 20))}`, codeOfName(name), () =>
      zip([
        [name, 'x'],
        ['b.tf', 'y'],
      ]),
    ),
    tarred(`the name ${JSON.stringify(name.slice(0, 20))}`, codeOfName(name), () => tarGz([{ name, text: 'x' }])),
  ]),
  ...collisions.flatMap(([first, second]) => [
    zipped(`${first} beside ${second}`, 'package_refused', () =>
      zip([first, second].map((name) => [name, 'x'] as const)),
    ),
    tarred(`${first} beside ${second}`, 'package_refused', () =>
      tarGz([first, second].map((name) => ({ name, text: 'x' }))),
    ),
  ]),
  zipped('no file', 'package_refused', () => zip({})),
  tarred('no file', 'package_refused', () => tarGz([])),
  zipped('bytes of another format', 'package_refused', () => Buffer.from('<html>sign in</html>')),
  tarred('bytes of another format', 'package_refused', () => Buffer.from('<html>sign in</html>')),
  zipped('no bytes', 'package_refused', () => Buffer.alloc(0)),
  tarred('no bytes', 'package_refused', () => Buffer.alloc(0)),
  zipped('a part that is missing', 'package_refused', () => zip({ a: 'x' }).subarray(0, -9)),
  tarred('a part that is missing', 'package_refused', async () =>
    (await tarGz([{ name: 'a', text: megabyte }])).subarray(0, -30),
  ),
  tarred('a tar that ends in a file', 'package_refused', async () =>
    gzipSync((await tarOf([{ name: 'a', text: megabyte }])).subarray(0, 9_000)),
  ),
  zipped('a wrong checksum', 'package_refused', () =>
    patched(zip({ a: 'x' }), { central: (entry) => entry.writeUInt32LE(7, 16) }),
  ),
  zipped('a file larger than it says', 'package_refused', () =>
    patched(zip({ a: megabyte }), { central: (entry) => entry.writeUInt32LE(9, 24) }),
  ),
  zipped('an encrypted file', 'package_refused', () =>
    patched(zip({ a: 'x' }), { central: (entry) => entry.writeUInt16LE(1, 8) }),
  ),
  zipped('an unknown compression', 'package_refused', () =>
    patched(zip({ a: 'x' }), { central: (entry) => entry.writeUInt16LE(99, 10) }),
  ),
  zipped('a file that says it has 4 GB', 'package_too_large', () =>
    patched(zip({ a: 'x' }), { central: (entry) => entry.writeUInt32LE(0xfffffff0, 24) }),
  ),
  zipped('files over the limit together', 'package_too_large', () => zip({ a: megabyte, b: megabyte, c: megabyte })),
  tarred('files over the limit together', 'package_too_large', () =>
    tarGz(['a', 'b', 'c'].map((name) => ({ name, text: megabyte }))),
  ),
  zipped('more files than allowed', 'package_too_large', () =>
    zip(Object.fromEntries(names(101).map((name) => [name, '']))),
  ),
  tarred('more files than allowed', 'package_too_large', () => tarGz(names(101).map((name) => ({ name })))),
  tarred('a header that says 8 GB', 'package_too_large', () =>
    tarWith((header) => header.write('77777777777\0', 124, 'latin1')),
  ),
  tarred('a header with a negative size', 'package_refused', () => tarWith((header) => header.fill(0xff, 124, 136))),
  tarred('a huge extended header', 'package_refused', () =>
    tarWith((header) => {
      header.write('77777777777\0', 124, 'latin1');
      header.write('x', 156, 'latin1');
    }),
  ),
  tarred('a header with a wrong checksum', 'package_refused', async () => {
    const tar = await tarOf([{ name: 'a', text: 'x' }]);
    tar[0] = 0x62;
    return gzipSync(tar);
  }),
];

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `f${at}.tf`);

export const partialArchives: readonly PartialArchive[] = [
  {
    name: 'a link out of it',
    ending: 'tgz',
    leftOut: 'symlink',
    bytes: () => withMain({ name: 'l.tf', type: 'symlink', linkname: '/etc/passwd' }),
  },
  {
    name: 'a link to a folder above',
    ending: 'tgz',
    leftOut: 'symlink',
    bytes: () => withMain({ name: 'l', type: 'symlink', linkname: '../..' }),
  },
  {
    name: 'a hard link',
    ending: 'tgz',
    leftOut: 'hard_link',
    bytes: () => withMain({ name: 'l.tf', type: 'link', linkname: '/etc/passwd' }),
  },
  {
    name: 'a device',
    ending: 'tgz',
    leftOut: 'special',
    bytes: () => withMain({ name: 'd', type: 'block-device', devmajor: 1 }),
  },
  { name: 'a pipe', ending: 'tgz', leftOut: 'special', bytes: () => withMain({ name: 'p', type: 'fifo' }) },
  {
    name: 'a folder of Git',
    ending: 'tgz',
    leftOut: 'git_folder',
    bytes: () => withMain({ name: '.git/config', text: '[core]' }),
  },
  {
    name: 'a link',
    ending: 'zip',
    leftOut: 'symlink',
    bytes: () => withMode(zip({ l: '/etc/passwd', 'main.tf': 'm' }), 0o120777),
  },
  {
    name: 'a device',
    ending: 'zip',
    leftOut: 'special',
    bytes: () => withMode(zip({ d: '', 'main.tf': 'm' }), 0o060600),
  },
  {
    name: 'a folder of Git',
    ending: 'zip',
    leftOut: 'git_folder',
    bytes: () => zip({ '.git/config': 'x', 'main.tf': 'm' }),
  },
];

const withMain = (entry: TarEntry): Promise<Buffer> => tarGz([entry, { name: 'main.tf', text: 'm' }]);
