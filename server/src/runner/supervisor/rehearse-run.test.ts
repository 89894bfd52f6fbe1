import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rehearsalFolder, rehearseRun } from './rehearse-run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-rehearsal-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const inside = (...names: string[]): string => path.join(dir, rehearsalFolder, ...names);

test('a rehearsal plays the steps of a Run to a command, and can be played again in the same folder', async () => {
  for (let time = 1; time <= 2; time += 1) {
    await rehearseRun(dir, () => true);
    expect(readdirSync(inside('capsule/tree'))).toContain('main.tf');
    expect(existsSync(inside('capsule/init.json'))).toBe(true);
    expect(existsSync(inside('capsule/owner.json')), 'nobody holds the folder').toBe(false);
    expect(existsSync(inside('run'))).toBe(false);
  }
});

test('a rehearsal gives way to a Job at its next step', async () => {
  let asked = 0;
  await rehearseRun(dir, () => {
    asked += 1;
    return asked < 2;
  });
  expect(asked).toBe(2);
  expect(existsSync(inside('capsule/init.json'))).toBe(false);
  expect(existsSync(inside('capsule/owner.json'))).toBe(false);
});

test('what cannot be rehearsed stops nobody', async () => {
  writeFileSync(inside(), '');
  await rehearseRun(dir, () => true);
});
