import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ExportLine } from '#shared/exports/contract';
import { removeTree } from '../../kernel/remove-tree.ts';
import { writeExport } from './write-export.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-export-'));
afterAll(() => removeTree(root));

const file = (name: string, text: string, executable = false): ExportLine[] => [
  { file: { path: name, executable, sizeBytes: Buffer.byteLength(text) } },
  { data: Buffer.from(text).toString('base64') },
];
const end = (files: number): ExportLine => ({ end: { files } });
async function* linesOf(lines: readonly ExportLine[], failure?: Error): AsyncGenerator<ExportLine> {
  yield* lines;
  if (failure) throw failure;
}
/** A new parent folder, and a folder in it that does not exist. */
const newTarget = () => path.join(mkdtempSync(path.join(root, 'parent-')), 'out');
const leftIn = (dir: string) => readdirSync(path.dirname(dir));

describe('writeExport', () => {
  it('writes private files in folders, also into an empty folder', async () => {
    const dir = newTarget();
    mkdirSync(dir);
    const lines = [
      ...file('a/b/main.tf', 'text'),
      ...file('run.sh', '#!', true),
      { file: { path: 'empty', executable: false, sizeBytes: 0 } },
      end(3),
    ];
    expect(await writeExport(dir, linesOf(lines))).toBe(3);
    expect(readFileSync(path.join(dir, 'a/b/main.tf'), 'utf8')).toBe('text');
    const modeOf = (name: string) => lstatSync(path.join(dir, name)).mode & 0o777;
    expect(['.', 'a', 'a/b/main.tf', 'run.sh', 'empty'].map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o700, 0o600]);
    expect(leftIn(dir)).toEqual(['out']);
  });

  it.each<[string, ExportLine[], Error?]>([
    ['without its last line', file('a', 'text')],
    ['with another number of files', [...file('a', 'text'), end(2)]],
    ['with a file that is cut short', [{ file: { path: 'a', executable: false, sizeBytes: 9 } }, end(1)]],
    [
      'with a file that is too long',
      [{ file: { path: 'a', executable: false, sizeBytes: 1 } }, ...file('b', 'text').slice(1), end(1)],
    ],
    ['with a path that leaves the folder', [...file('../outside', 'text'), end(1)]],
    ['with the same path twice', [...file('a', 'text'), ...file('a', 'text'), end(2)]],
    ['that fails', file('a', 'text'), new Error('the line broke')],
  ])('writes nothing of an export %s', async (_, lines, failure) => {
    const dir = newTarget();
    await expect(writeExport(dir, linesOf(lines, failure))).rejects.toThrow();
    expect(leftIn(dir)).toEqual([]);
  });

  it('refuses a folder that is not empty, and changes nothing in it', async () => {
    const dir = newTarget();
    mkdirSync(dir);
    writeFileSync(path.join(dir, 'mine'), 'kept');
    await expect(writeExport(dir, linesOf([end(0)]))).rejects.toThrow('not empty');
    expect(readdirSync(dir)).toEqual(['mine']);
  });

  it('refuses a folder that is filled while it is written', async () => {
    const dir = newTarget();
    async function* lines(): AsyncGenerator<ExportLine> {
      yield* file('a', 'text');
      mkdirSync(dir);
      writeFileSync(path.join(dir, 'mine'), 'kept');
      yield end(1);
    }
    await expect(writeExport(dir, lines())).rejects.toThrow('not empty');
    expect([readdirSync(dir), leftIn(dir)]).toEqual([['mine'], ['out']]);
  });

  it('removes what a killed export to the same folder has left, and nothing else', async () => {
    const dir = newTarget();
    const sibling = (name: string) => path.join(path.dirname(dir), name);
    // No process has this id: it is above the largest one of the system.
    for (const name of ['.out.export-4999999', '.other.export-4999999']) mkdirSync(sibling(name));
    writeFileSync(sibling('.out.export-notes'), 'kept');
    await writeExport(dir, linesOf([...file('a', 'text'), end(1)]));
    expect(leftIn(dir).sort()).toEqual(['.other.export-4999999', '.out.export-notes', 'out']);
    expect(existsSync(sibling('.out.export-4999999'))).toBe(false);
  });
});
