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

/** The end of a tool that is gone, as the status file tells it. */
function endOf(boot: string): Promise<number | undefined> {
  const status = path.join(dir, 'status.json');
  writeFileSync(status, '{ "child-pid": 7 }\n{ "exit-code": 0 }\n');
  return awaitEnd(status, { ...dead, bootId: boot });
}

test('the exit code that was written down is that of the tool, also of one that was gone before anybody could look', async () => {
  expect(await endOf(bootId)).toBe(0);
  expect(await endOf('')).toBe(0);
});

test('after a power cut a status file says nothing: it may be that of an earlier command', async () => {
  expect(await endOf('another-boot')).toBeUndefined();
});
