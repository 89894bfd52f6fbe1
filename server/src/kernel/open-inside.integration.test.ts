import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openInside, readPieces } from './open-inside.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-inside-'));
  fs.mkdirSync(path.join(root, 'tree/out'), { recursive: true });
  fs.mkdirSync(path.join(root, 'other'));
  fs.writeFileSync(path.join(root, 'other/secret'), 'elsewhere');
  fs.writeFileSync(path.join(root, 'tree/out/note'), 'inside');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function read(relative: string, maxBytes = 100, platform?: NodeJS.Platform): string | undefined {
  const opened = openInside(path.join(root, 'tree'), relative, platform);
  if (opened === undefined) return undefined;
  try {
    return Buffer.concat([...readPieces(opened.descriptor, maxBytes)].map((piece) => Buffer.from(piece))).toString();
  } finally {
    fs.closeSync(opened.descriptor);
  }
}

it('reads a regular file of the folder, up to a bound', () => {
  expect(read('out/note')).toBe('inside');
  expect(read('out/note', 3)).toBe('ins');
});

it('reads a file when the path of the folder itself has a link', () => {
  fs.renameSync(path.join(root, 'tree'), path.join(root, 'moved'));
  fs.symlinkSync('moved', path.join(root, 'tree'));
  expect(read('out/note')).toBe('inside');
});

it('refuses links in place of the file and of a folder above it, pipes, folders and missing files', () => {
  fs.symlinkSync('../../other/secret', path.join(root, 'tree/out/link'));
  fs.symlinkSync('../other', path.join(root, 'tree/swapped'));
  execFileSync('mkfifo', [path.join(root, 'tree/out/pipe')]);
  for (const platform of ['linux', 'darwin'] as const)
    for (const name of ['out/link', 'swapped/secret', 'out/pipe', 'out', 'missing', '../other/secret/x'])
      expect([name, read(name, 100, platform)]).toEqual([name, undefined]);
});

it('without /proc refuses a file that was opened elsewhere, although its folder is back in place', () => {
  const inside = path.join(root, 'tree/out');
  expect(read('out/note', 100, 'darwin')).toBe('inside');
  fs.writeFileSync(path.join(root, 'other/note'), 'elsewhere');
  fs.renameSync(inside, path.join(root, 'tree/aside'));
  fs.symlinkSync('../other', inside);
  const { realpathSync } = fs;
  // The module puts the folder back between the opening and the check.
  const putBack = vi.spyOn(fs, 'realpathSync').mockImplementation(((file: fs.PathLike) => {
    if (fs.lstatSync(inside).isSymbolicLink()) {
      fs.unlinkSync(inside);
      fs.renameSync(path.join(root, 'tree/aside'), inside);
    }
    return realpathSync(file);
  }) as typeof realpathSync);
  syncBuiltinESMExports();
  expect(read('out/note', 100, 'darwin')).toBeUndefined();
  putBack.mockRestore();
  syncBuiltinESMExports();
  expect(read('out/note', 100, 'darwin')).toBe('inside');
});
