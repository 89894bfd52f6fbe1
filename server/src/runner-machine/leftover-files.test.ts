import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { deleteLeftoverFiles, noteUse } from './leftover-files.ts';

const day = 86_400_000;

test('leftover folders of Runs and archives are deleted when they are old, unless they are held or were used', () => {
  const dir = tempDir();
  const folders = { runs: path.join(dir, 'runs'), archives: path.join(dir, 'archives') };
  const now = Date.now();
  const make = (file: string, days: number, isFolder = true) => {
    mkdirSync(isFolder ? file : path.dirname(file), { recursive: true });
    if (!isFolder) writeFileSync(file, '');
    const then = new Date(now - days * day);
    utimesSync(file, then, then);
    return file;
  };
  const run = (name: string, days: number) => make(path.join(folders.runs, name), days);
  const archive = (name: string, days: number) => make(path.join(folders.archives, name), days, false);
  const deleted = [run('plan_old', 8), archive('old.tar', 15), archive('ab/old.tar', 15)];
  const used = [run('plan_used', 8), archive('used.tar', 15)];
  for (const file of used) noteUse(file);
  const left = [...used, run('apply_held', 30), run('apply_new', 6), archive('new.tar', 13)];
  deleteLeftoverFiles({ folders, isHeld: (jobId) => jobId === 'apply_held', now });
  expect(deleted.filter((file) => existsSync(file))).toEqual([]);
  expect(left.filter((file) => !existsSync(file))).toEqual([]);
});

test('nothing is deleted on a machine without any folder', () => {
  const folders = { runs: '/nonexistent/runs', archives: '/nonexistent/archives' };
  expect(() => deleteLeftoverFiles({ folders, isHeld: () => false, now: 0 })).not.toThrow();
});
