import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyFileSource } from './key-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-key-file-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const dead = ['', '999999999', String(process.pid)];

test.each(dead)(
  'a lock that a dead process left behind ("%s") does not prevent the creation of a key',
  async (holder) => {
    const file = path.join(dir, 'master.key');
    writeFileSync(`${file}.lock`, holder);
    const before = Date.now() / 1_000 - 2;
    utimesSync(`${file}.lock`, before, before);
    await createKeyFileSource(file).make({ reuse: false });
    expect(existsSync(file)).toBe(true);
    expect(existsSync(`${file}.lock`)).toBe(false);
  },
);
