import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { warmUpFolder, warmUpRun } from './warm-up-run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-warm-up-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const inside = (...names: string[]): string => path.join(dir, warmUpFolder, ...names);

test('a warm-up runs the steps of a Run up to a command, leaves nothing and can be repeated', async () => {
  for (let time = 1; time <= 2; time += 1) {
    let tree: string[] = [];
    await warmUpRun(dir, () => {
      tree = readdirSync(inside('capsule/tree'));
      return true;
    });
    expect(tree, 'before the command').toContain('main.tf');
    expect(readdirSync(dir)).toEqual([]);
  }
});

test('a warm-up stops for a spec at its next step', async () => {
  let checks = 0;
  await warmUpRun(dir, () => {
    checks += 1;
    return checks < 2;
  });
  expect(checks).toBe(2);
  expect(readdirSync(dir)).toEqual([]);
});

test('a failing warm-up step does not throw', async () => {
  writeFileSync(inside(), '');
  await warmUpRun(dir, () => true);
});
