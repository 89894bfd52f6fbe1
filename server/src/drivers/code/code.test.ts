import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { codeLimits } from '#shared/limits';
import { type Files, withArchive } from '../../../test/scan-fixture.ts';
import { createCode } from './index.ts';

const code = createCode();
afterAll(() => code.close());

type Archive = { path: string; digest: string };
const withCode = <T>(files: Files, use: (archive: Archive) => Promise<T>): Promise<T> =>
  withArchive(files, ({ archivePath }) =>
    use({ path: archivePath, digest: `sha256:${path.basename(archivePath, '.tar')}` }),
  );

it('reads one file, or reports a folder and a damaged or missing archive', async () => {
  await withCode({ 'a/main.tf': 'one\n' }, async (archive) => {
    const result = await code.readFile({ ...archive, name: 'a/main.tf' });
    expect(result.kind === 'file' && Buffer.from(result.bytes).toString()).toBe('one\n');
    expect(await code.readFile({ ...archive, name: 'a' })).toEqual({ kind: 'folder' });
    fs.appendFileSync(archive.path, 'x');
    const corrupt = { kind: 'failed', archiveFault: 'archive_corrupt' };
    expect(await code.readFile({ ...archive, name: 'a/main.tf' })).toMatchObject(corrupt);
    fs.rmSync(archive.path);
    const missing = { kind: 'failed', archiveFault: 'archive_missing' };
    expect(await code.readLines({ ...archive, name: 'a/main.tf', from: 1, to: 1 })).toMatchObject(missing);
    expect(await code.readReadme({ ...archive, folder: 'a' })).toMatchObject(missing);
  });
});

it('reads lines with any line end, and none after the last', async () => {
  await withCode({ unix: 'a\nb\nc\n', dos: 'a\r\nb\r\nc', empty: '' }, async (archive) => {
    const read = (name: string, from: number, to: number) => code.readLines({ ...archive, name, from, to });
    for (const name of ['unix', 'dos']) {
      expect(await read(name, 2, 3)).toEqual({ kind: 'lines', lines: [{ text: 'b' }, { text: 'c' }], totalLines: 3 });
      expect(await read(name, 3, 9)).toEqual({ kind: 'lines', lines: [{ text: 'c' }], totalLines: 3 });
      expect(await read(name, 4, 9)).toEqual({ kind: 'lines', lines: [], totalLines: 3 });
    }
    expect(await read('empty', 1, 1)).toEqual({ kind: 'lines', lines: [], totalLines: 0 });
  });
});

it('bounds the lines of one read, the length of a line and the size of a file', async () => {
  const wide = `${'x'.repeat(codeLimits.lineLength - 1)}\u{1f600}`;
  const files = {
    many: 'x\n'.repeat(1_000),
    wide,
    huge: Buffer.alloc(codeLimits.fileBytes + 1, 'x'),
    binary: Buffer.from([0xff, 0xfe]),
  };
  await withCode(files, async (archive) => {
    const read = (name: string) => code.readLines({ ...archive, name, from: 1, to: 1_000 });
    const many = await read('many');
    expect(many.kind === 'lines' && [many.lines.length, many.totalLines]).toEqual([codeLimits.linesPerRead, 1_000]);
    const cut = { text: 'x'.repeat(codeLimits.lineLength - 1), isCut: true };
    expect(await read('wide')).toEqual({ kind: 'lines', lines: [cut], totalLines: 1 });
    expect(await read('huge')).toEqual({ kind: 'too_large' });
    expect(await read('binary')).toEqual({ kind: 'not_text' });
  });
});

it('finds the README of a folder under any of its names, Markdown first', async () => {
  const files = {
    'README.md.bak': 'no',
    'docs/README.md': 'docs',
    readme: 'plain',
    'Readme.MD': 'markdown',
    'README.txt': 'text',
    'm/README': 'module',
    'other/main.tf': '',
    'latin/README.md': Buffer.from([0xe4]),
  };
  await withCode(files, async (archive) => {
    const read = (folder: string) => code.readReadme({ ...archive, folder });
    expect(await read('.')).toEqual({ kind: 'readme', path: 'Readme.MD', text: 'markdown', sizeBytes: 8 });
    expect(await read('m')).toEqual({ kind: 'readme', path: 'm/README', text: 'module', sizeBytes: 6 });
    expect(await read('other')).toEqual({ kind: 'absent' });
    expect(await read('latin')).toEqual({ kind: 'absent' });
  });
});

it('cuts a long README after a whole line', async () => {
  await withCode({ 'README.md': 'ä line\n'.repeat(40_000), 'one/README': 'x'.repeat(200_000) }, async (archive) => {
    const result = await code.readReadme({ ...archive, folder: '.' });
    expect(result).toMatchObject({ kind: 'readme', isCut: true, sizeBytes: 320_000 });
    const text = result.kind === 'readme' ? result.text : '';
    expect(text.endsWith('ä line\n')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(codeLimits.readmeBytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(codeLimits.readmeBytes - 10);
    expect(await code.readReadme({ ...archive, folder: 'one' })).toMatchObject({ text: '', isCut: true });
  });
});

it('ends work that takes too long', async () => {
  const hurried = createCode({ timeoutMs: 1 });
  await withCode({ a: Buffer.alloc(32 << 20) }, async (archive) => {
    expect(await hurried.readFile({ ...archive, name: 'a' })).toMatchObject({
      kind: 'failed',
      failure: expect.stringContaining('took longer'),
    });
  });
  await hurried.close();
});
