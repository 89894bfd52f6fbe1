import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalFiles } from './local-files.ts';

let root: string;
const at = (name: string) => path.join(root, name);
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-files-'));
  fs.mkdirSync(at('repository/objects/ab'), { recursive: true });
  fs.mkdirSync(at('private/ab'), { recursive: true });
  fs.writeFileSync(at('repository/objects/ab/file'), 'own');
  fs.writeFileSync(at('private/ab/file'), 'private');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function swapObjects(): void {
  fs.renameSync(at('repository/objects'), at('repository/moved'));
  fs.symlinkSync(at('private'), at('repository/objects'));
}

describe('createLocalFiles', () => {
  it('refuses a file of a folder that has become a link out of the repository since it was read', () => {
    const files = createLocalFiles(at('repository'));
    expect(files.text('objects/ab/file', 99)).toBe('own');
    swapObjects();
    expect(() => files.text('objects/ab/file', 99)).toThrow(/leads out of the repository/);
    expect(() => files.list('objects/ab', 9)).toThrow(/leads out of the repository/);
  });

  it('reads a folder that is created after it was looked for', () => {
    const files = createLocalFiles(at('repository'));
    expect(files.text('objects/cd/file', 99)).toBeUndefined();
    fs.mkdirSync(at('repository/objects/cd'));
    fs.writeFileSync(at('repository/objects/cd/file'), 'new');
    expect(files.text('objects/cd/file', 99)).toBe('new');
  });
});
