import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { openPlain } from './open-plain.ts';

let root: string;
beforeEach(() => {
  root = tempDir();
  fs.writeFileSync(path.join(root, 'file'), 'content');
  fs.symlinkSync('file', path.join(root, 'link'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

test.each(['linux', 'darwin', 'win32'] as const)('on %s a file is opened, and a link is not followed', (platform) => {
  const descriptor = openPlain(path.join(root, 'file'), platform);
  expect(fs.readFileSync(descriptor, 'utf8')).toBe('content');
  fs.closeSync(descriptor);
  expect(() => openPlain(path.join(root, 'link'), platform)).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  expect(() => openPlain(path.join(root, 'missing'), platform)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
