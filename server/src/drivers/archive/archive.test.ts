import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ArchiveError,
  archivePath,
  extractArchive,
  readArchive,
  readArchiveFile,
  verifyArchive,
  verifyArchiveInBreaks,
  writeArchive,
} from './index.ts';
import { decodeBlock, encodeHeader } from './tar.ts';

let tempRoot: string;
beforeEach(() => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-archive-'));
});
afterEach(() => fs.rmSync(tempRoot, { recursive: true, force: true }));

const file = (name: string, text = name, executable = false) => ({ path: name, executable, bytes: Buffer.from(text) });
const archives = () => path.join(tempRoot, 'archives');
const write = (...entries: ReturnType<typeof file>[]) => writeArchive({ dir: archives(), entries });
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ArchiveError) return error.code;
    throw error;
  }
  return 'accepted';
};
const modeOf = (name: string) => (fs.statSync(name).mode & 0o777).toString(8);

describe('writing an archive', () => {
  it('names it by the digest of its bytes, in a private file', () => {
    const written = write(file('main.tf'));
    const bytes = fs.readFileSync(written.path);
    expect(written.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    expect(written.sizeBytes).toBe(bytes.length);
    expect(written.path).toBe(archivePath(archives(), written.digest));
    expect(path.relative(archives(), written.path)).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{64}\.tar$/);
    expect(modeOf(written.path)).toBe('600');
    expect(verifyArchive(written.path, written.digest)).toBe(true);
  });

  it('gives equal bytes for equal files in any order', () => {
    const first = write(file('b'), file('a/x'), file('a-y'), file('é'));
    const second = write(file('é'), file('a-y'), file('a/x'), file('b'));
    expect(second).toEqual(first);
    expect([...readArchive(first.path)].map((entry) => entry.path)).toEqual(['a-y', 'a/x', 'b', 'é']);
    expect(write(file('b', 'b', true), file('a/x'), file('a-y'), file('é')).digest).not.toBe(first.digest);
  });

  it('never changes its form: this digest is stored in ledgers', () => {
    const written = write(file('main.tf', 'variable "a" {}\n'), file('bin/run.sh', '#!/bin/sh\n', true), file('ä'));
    expect(written.digest).toBe('sha256:17491cd7d6741ce590bab36bf6014a8feb632aebaf56b9aef2fe4b0d530af97a');
  });

  it('replaces a truncated archive with the right name', () => {
    const written = write(file('main.tf'));
    fs.truncateSync(written.path, 100);
    expect(write(file('main.tf'))).toEqual(written);
    expect(verifyArchive(written.path, written.digest)).toBe(true);
  });

  it('leaves nothing behind when a file cannot be read', () => {
    const broken = {
      path: 'b',
      executable: false,
      bytes: () => {
        throw new Error('gone');
      },
    };
    expect(() => writeArchive({ dir: archives(), entries: [file('a'), broken] })).toThrow('gone');
    expect(fs.readdirSync(archives())).toEqual([]);
  });

  it('refuses paths that leave the folder, appear twice, or are both file and folder', () => {
    for (const name of ['', '/a', '../a', 'a/../../b', 'a//b', './a', 'a/', 'a\\b', 'a\0']) {
      expect(
        codeOf(() => write(file(name))),
        JSON.stringify(name),
      ).toBe('archive_path_refused');
    }
    expect(codeOf(() => write(file('a'), file('a')))).toBe('archive_path_refused');
    expect(codeOf(() => write(file('a/b/c'), file('a-z'), file('a')))).toBe('archive_path_refused');
  });

  it('can be read by an independent tar reader: long names, names beyond ASCII, modes, empty files', async () => {
    const long = `${'deep/'.repeat(40)}file.tf`;
    const edges = [99, 100, 101, 255, 986, 987, 988].map((length) => file('n'.repeat(length), 'x'));
    const entries = [
      file(long, 'long'),
      file('naïve/日本.tf', 'é'),
      file('empty', ''),
      file('run', '#!', true),
      ...edges,
    ];
    const written = write(...entries);
    const read = extract();
    fs.createReadStream(written.path).pipe(read);
    const seen = new Map<string, unknown>();
    for await (const entry of read) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      const { name, mode = 0, uid, mtime } = entry.header;
      seen.set(name, {
        text: Buffer.concat(chunks).toString(),
        executable: mode === 0o755,
        uid,
        time: mtime?.getTime(),
      });
    }
    const expected = entries.map((entry) => [
      entry.path,
      { text: entry.bytes.toString(), executable: entry.executable, uid: 0, time: 0 },
    ]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
    expect([...readArchive(written.path)].map((entry) => entry.path).sort()).toEqual([...seen.keys()].sort());
  });
});

describe('the header of a file', () => {
  const gib = 2 ** 30;

  it.each([0, 8 * gib - 1, 8 * gib, 9 * gib + 1, 1024 * gib])(
    'holds a size of %i bytes, which tar-stream reads',
    async (size) => {
      const header = { path: 'ledger.db', executable: false, size };
      const block = encodeHeader(header);
      expect(decodeBlock(block)).toEqual({ kind: 'file', ...header });
      const read = extract();
      const entry = new Promise((resolve) => read.on('entry', resolve));
      read.write(block);
      expect(await entry).toMatchObject({ name: 'ledger.db', size });
      read.destroy();
    },
  );

  it('is refused with a size in another form', () => {
    const block = encodeHeader({ path: 'a', executable: false, size: 9 * gib });
    const altered = (change: (copy: Buffer) => void) => {
      const copy = Buffer.from(block);
      change(copy);
      copy.write('        ', 148, 'latin1');
      const sum = copy.reduce((total, byte) => total + byte, 0);
      copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      return () => decodeBlock(copy);
    };
    expect(codeOf(altered(() => {}))).toBe('accepted');
    expect(codeOf(altered((copy) => copy.writeBigUInt64BE(5n, 128)))).toBe('archive_corrupt');
    expect(codeOf(altered((copy) => copy.writeBigUInt64BE(2n ** 60n, 128)))).toBe('archive_corrupt');
    expect(codeOf(altered((copy) => copy.writeUInt8(1, 125)))).toBe('archive_corrupt');
    expect(codeOf(altered((copy) => copy.fill(0xff, 124, 136)))).toBe('archive_corrupt');
  });
});

describe('reading an archive', () => {
  it('finds one file, or none', () => {
    const written = write(file('a', 'one'), file('b/c', 'two', true), file('d', 'three'));
    const at = (name: string) => readArchiveFile({ ...written, name });
    expect(at('b/c')).toEqual({ kind: 'file', bytes: Uint8Array.from(Buffer.from('two')) });
    expect(at('b')).toEqual({ kind: 'folder' });
    expect(at('.')).toEqual({ kind: 'folder' });
    expect(at('c')).toEqual({ kind: 'absent' });
  });

  it('verifies a large one in slices, lets other work of the thread continue, and stops on request', async () => {
    const big = Buffer.alloc(5 << 20, 'ab');
    const { path: archiveFile, digest } = write({ path: 'a', executable: false, bytes: big });
    let turns = 0;
    let checks = 0;
    const between = setInterval(() => {
      turns += 1;
    }, 0);
    const whole = await verifyArchiveInBreaks(archiveFile, digest, () => {
      checks += 1;
      return false;
    });
    clearInterval(between);
    expect(whole).toBe(true);
    expect(checks).toBeGreaterThan(20);
    expect(turns).toBeGreaterThan(0);
    expect(await verifyArchiveInBreaks(archiveFile, digest, () => true)).toBe(false);
    expect(await verifyArchiveInBreaks(path.join(tempRoot, 'none.tar'), digest, () => false)).toBe(false);
    fs.appendFileSync(archiveFile, 'more');
    expect(await verifyArchiveInBreaks(archiveFile, digest, () => false)).toBe(false);
  });

  it('finds nothing in an archive with another digest, not even an unchanged file', () => {
    const written = write(file('a', 'one'), file('b', 'two'));
    const bytes = fs.readFileSync(written.path);
    bytes.write('TWO', bytes.indexOf('two'));
    fs.writeFileSync(written.path, bytes);
    expect(codeOf(() => readArchiveFile({ ...written, name: 'a' }))).toBe('archive_corrupt');
  });

  it('is complete after it was written again over a damaged one of the same size', () => {
    const written = write(file('a', 'one'));
    const bytes = fs.readFileSync(written.path);
    bytes.write('ONE', bytes.indexOf('one'));
    fs.writeFileSync(written.path, bytes);
    expect(verifyArchive(written.path, written.digest)).toBe(false);
    expect(write(file('a', 'one'))).toEqual(written);
    expect(verifyArchive(written.path, written.digest)).toBe(true);
  });

  it('keeps returned bytes valid while it reads on, even across its window', () => {
    const big = Buffer.alloc(5 << 20, 'ab');
    const entries = ['a', 'b', 'c'].map((name) => ({ path: name, executable: false, bytes: () => big }));
    const written = writeArchive({ dir: archives(), entries });
    const read = [...readArchive(written.path, { digest: written.digest })];
    expect(read.every((entry) => entry.bytes.equals(big))).toBe(true);
  });

  it('detects every kind of damage', () => {
    const written = write(file('a', 'one'), file('b', 'two'));
    const whole = fs.readFileSync(written.path);
    const damage = (change: (bytes: Buffer) => Buffer): string => {
      const copy = path.join(tempRoot, 'damaged.tar');
      fs.writeFileSync(copy, change(Buffer.from(whole)));
      expect(verifyArchive(copy, written.digest)).toBe(false);
      return codeOf(() => [...readArchive(copy, { digest: written.digest })]);
    };
    expect(damage((bytes) => bytes.subarray(0, 700))).toBe('archive_corrupt');
    expect(damage((bytes) => bytes.fill(0x39, 0, 1))).toBe('archive_corrupt');
    expect(damage((bytes) => bytes.fill(0x7a, 513, 514))).toBe('archive_corrupt');
    expect(damage((bytes) => Buffer.concat([bytes, Buffer.from('more')]))).toBe('archive_corrupt');
    expect(
      damage((bytes) => {
        bytes.write('77777777777', 124);
        return bytes;
      }),
    ).toBe('archive_corrupt');
    expect(codeOf(() => [...readArchive(path.join(tempRoot, 'none.tar'))])).toBe('archive_missing');
    expect(verifyArchive(path.join(tempRoot, 'none.tar'), written.digest)).toBe(false);
    expect(codeOf(() => archivePath(tempRoot, 'sha256:../../x'))).toBe('archive_missing');
  });
});

describe('unpacking an archive', () => {
  const target = () => path.join(tempRoot, 'run');

  it('writes regular files with their modes for any umask, and returns their paths', () => {
    const written = write(file('main.tf', 'x'), file('bin/run', '#!', true), file('a/b/c.tf', 'y'));
    const names = extractArchive({ path: written.path, dir: target(), digest: written.digest });
    expect(names).toEqual(['a/b/c.tf', 'bin/run', 'main.tf']);
    expect(fs.readFileSync(path.join(target(), 'a/b/c.tf'), 'utf8')).toBe('y');
    expect(modeOf(path.join(target(), 'main.tf'))).toBe('644');
    expect(modeOf(path.join(target(), 'bin/run'))).toBe('755');
    expect(modeOf(target())).toBe('700');
  });

  it('writes only files that the filter accepts', () => {
    const written = write(file('main.tf'), file('big/blob'));
    expect(extractArchive({ path: written.path, dir: target(), filter: (name) => name.endsWith('.tf') })).toEqual([
      'main.tf',
    ]);
    expect(fs.existsSync(path.join(target(), 'big'))).toBe(false);
  });

  it('restores files that were changed, and never writes through a link', () => {
    const written = write(file('main.tf', 'good'), file('lib/a.tf', 'lib'), file('store', 'mine'), file('dir', 'file'));
    extractArchive({ path: written.path, dir: target() });
    const outside = path.join(tempRoot, 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'victim'), 'untouched');
    fs.rmSync(path.join(target(), 'lib'), { recursive: true });
    fs.symlinkSync(outside, path.join(target(), 'lib'));
    fs.rmSync(path.join(target(), 'main.tf'));
    fs.symlinkSync(path.join(outside, 'victim'), path.join(target(), 'main.tf'));
    fs.rmSync(path.join(target(), 'store'));
    fs.linkSync(path.join(outside, 'victim'), path.join(target(), 'store'));
    fs.rmSync(path.join(target(), 'dir'));
    fs.mkdirSync(path.join(target(), 'dir/full'), { recursive: true });
    extractArchive({ path: written.path, dir: target() });
    expect(fs.readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('untouched');
    expect(fs.readdirSync(outside)).toEqual(['victim']);
    expect(fs.lstatSync(path.join(target(), 'lib')).isDirectory()).toBe(true);
    const texts = ['main.tf', 'lib/a.tf', 'store', 'dir'].map((name) =>
      fs.readFileSync(path.join(target(), name), 'utf8'),
    );
    expect(texts).toEqual(['good', 'lib', 'mine', 'file']);
  });

  it('does not touch correct files', () => {
    const written = write(file('kept', 'same'), file('mode', 'same'), file('text', 'same'));
    extractArchive({ path: written.path, dir: target() });
    const inode = (name: string) => fs.statSync(path.join(target(), name)).ino;
    const before = inode('kept');
    fs.chmodSync(path.join(target(), 'mode'), 0o4755);
    fs.writeFileSync(path.join(target(), 'text'), 'evil');
    extractArchive({ path: written.path, dir: target() });
    expect(inode('kept')).toBe(before);
    expect((fs.statSync(path.join(target(), 'mode')).mode & 0o7777).toString(8)).toBe('644');
    expect(fs.readFileSync(path.join(target(), 'text'), 'utf8')).toBe('same');
  });

  it('refuses a folder that is a link', () => {
    const written = write(file('main.tf'));
    fs.mkdirSync(path.join(tempRoot, 'real'));
    fs.symlinkSync(path.join(tempRoot, 'real'), target());
    expect(codeOf(() => extractArchive({ path: written.path, dir: target() }))).toBe('archive_path_refused');
  });

  it('reports an archive that is not the recorded one', () => {
    const written = write(file('main.tf', 'good'));
    const other = write(file('main.tf', 'evil'));
    expect(codeOf(() => extractArchive({ path: other.path, dir: target(), digest: written.digest }))).toBe(
      'archive_corrupt',
    );
  });
});
