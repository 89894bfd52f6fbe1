import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchPath } from './watch-path.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'watch-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const nextChange = (target: string, act: () => void, file?: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = watchPath({
      target,
      ...(file === undefined ? {} : { file }),
      onChange() {
        stop();
        resolve();
      },
    });
    act();
  });

test('reports a change of a file, and of anything in a folder', async () => {
  const file = path.join(dir, 'a');
  writeFileSync(file, '');
  await nextChange(file, () => appendFileSync(file, 'x'));
  await nextChange(dir, () => writeFileSync(path.join(dir, 'b'), ''));
});

test('polls the file when it cannot be watched', async () => {
  const file = path.join(dir, 'missing/later');
  const changed = nextChange(file, () => {});
  rmSync(dir, { recursive: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'x');
  await expect(changed).resolves.toBeUndefined();
});
