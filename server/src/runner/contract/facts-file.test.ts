import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { factsFile, keepBaseline, readBaseline } from './facts-file.ts';

let runDir: string;
beforeEach(() => {
  runDir = mkdtempSync(path.join(tmpdir(), 'gc-facts-'));
});
afterEach(() => rmSync(runDir, { recursive: true }));

const baseline = { lineage: 'l', serial: 3, digest: 'sha256:a', content: 'sha256:b' };

test('the baseline of an apply can be read again', async () => {
  expect(readBaseline(runDir)).toBeUndefined();
  await keepBaseline(runDir, baseline);
  expect(readBaseline(runDir)).toEqual(baseline);
});

test('a repeated apply does not rewrite the file, because the record of its first attempt relies on it', async () => {
  await keepBaseline(runDir, baseline);
  const first = statSync(factsFile(runDir));
  await keepBaseline(runDir, baseline);
  expect(statSync(factsFile(runDir))).toMatchObject({ ino: first.ino, ctimeMs: first.ctimeMs });
});

test('a repeated apply with another baseline throws', async () => {
  await keepBaseline(runDir, baseline);
  await keepBaseline(runDir, { ...baseline, serial: 4 });
  expect(readBaseline(runDir)?.serial).toBe(4);
});
