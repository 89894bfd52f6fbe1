import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bootId } from '../os/process-identity.ts';
import { awaitEnd } from './adopt.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-adopt-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const dead = { pid: 2 ** 22 - 1, startTime: '1' };

/** Returns the exit code of an ended tool, from its status file. */
function endOf(boot: string): Promise<number | undefined> {
  const status = path.join(dir, 'status.json');
  writeFileSync(status, '{ "child-pid": 7 }\n{ "exit-code": 0 }\n');
  return awaitEnd(status, { ...dead, bootId: boot });
}

test('returns the recorded exit code of the tool, also when it ended before its process was identified', async () => {
  expect(await endOf(bootId)).toBe(0);
  expect(await endOf('')).toBe(0);
});

test('ignores a status file after a power cut, because it may be that of an earlier command', async () => {
  expect(await endOf('another-boot')).toBeUndefined();
});
