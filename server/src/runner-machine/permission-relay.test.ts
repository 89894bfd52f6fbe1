import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { readPermission, requestPermission } from '../runner/contract/permission.ts';
import { passPermission } from './permission-relay.ts';

type Permit = () => Promise<'granted' | 'refused'>;

function open(permit: Permit) {
  const runDir = path.join(tempDir(), 'run_1');
  mkdirSync(runDir);
  const over = new AbortController();
  const claim = { jobId: 'run_1', ticket: 'a'.repeat(32) };
  const relay = () => passPermission({ link: { permit }, claim, key: Buffer.alloc(32), runDir, signal: over.signal });
  return { runDir, over, relay };
}

test('a request is taken to the server once, and its answer back', async () => {
  const permit = vi.fn<Permit>(async () => 'granted');
  const { runDir, relay } = open(permit);
  const relaying = relay();
  requestPermission(runDir);
  await relaying;
  expect(readPermission(runDir)).toBe('granted');
  await relay();
  expect(permit).toHaveBeenCalledTimes(1);
});

test('an answer after the end of its job is dropped, though its folder is gone', async () => {
  const { promise, resolve } = Promise.withResolvers<'granted'>();
  const permit = vi.fn<Permit>(() => promise);
  const { runDir, over, relay } = open(permit);
  requestPermission(runDir);
  const relaying = relay();
  await expect.poll(() => permit.mock.calls.length).toBe(1);
  over.abort();
  rmSync(runDir, { recursive: true });
  resolve('granted');
  await expect(relaying).resolves.toBeUndefined();
  expect(existsSync(runDir)).toBe(false);
});

test('a job that is over without a request ends the relay', async () => {
  const permit = vi.fn<Permit>();
  const { over, relay } = open(permit);
  const relaying = relay();
  over.abort();
  await relaying;
  expect(permit).not.toHaveBeenCalled();
});
