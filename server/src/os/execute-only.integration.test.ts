import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createExecuteOnlyCopies } from './execute-only.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'gc-copies-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('an execute-only copy of a program', () => {
  test('runs, cannot be read, and is created once', async () => {
    const copyOf = createExecuteOnlyCopies(path.join(dir, 'copies'));
    const copy = (await copyOf('/bin/true')) ?? '';
    expect(statSync(copy).mode & 0o777).toBe(0o111);
    expect(statSync(path.dirname(copy)).mode & 0o077).toBe(0);
    execFileSync(copy);
    const { ino } = statSync(copy);
    expect(await copyOf('/bin/true')).toBe(copy);
    expect(await createExecuteOnlyCopies(path.join(dir, 'copies'))('/bin/true')).toBe(copy);
    expect(statSync(copy).ino).toBe(ino);
    expect(readdirSync(path.dirname(copy))).toEqual([path.basename(copy)]);
  });

  test('is created again when it was removed or the program changed', async () => {
    const copyOf = createExecuteOnlyCopies(path.join(dir, 'copies'));
    const first = (await copyOf('/bin/true')) ?? '';
    rmSync(first);
    expect(await copyOf('/bin/true')).toBe(first);
    expect(existsSync(first)).toBe(true);
    expect(await copyOf('/bin/false')).not.toBe(first);
  });

  test('does not exist for a script, which its interpreter has to read', async () => {
    const script = path.join(dir, 'tool');
    writeFileSync(script, '#!/bin/sh\n');
    chmodSync(script, 0o755);
    expect(await createExecuteOnlyCopies(path.join(dir, 'copies'))(script)).toBeUndefined();
    expect(readdirSync(path.join(dir, 'copies'))).toEqual([]);
  });
});
