import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { answerPermission, permissionRequestFile } from '../runner/contract/permission.ts';
import { awaitPermission } from './permission.ts';
import type { SupervisedRun } from './run.ts';

function createRun(asksPermission?: true) {
  const runDir = path.join(tempDir(), 'run');
  mkdirSync(runDir);
  const callbacks = new Set<() => void>();
  const onRequest = (callback: () => void) => {
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  };
  const spec = { runDir, ...(asksPermission && { asksPermission }) };
  const run = { spec, cancel: { isRequested: false, onRequest } } as unknown as SupervisedRun;
  const cancel = () => {
    for (const callback of callbacks) callback();
  };
  return { run, runDir, cancel };
}

test('an apply on the machine of the ledger needs no permission', async () => {
  const { run, runDir } = createRun();
  await awaitPermission(run, 'apply');
  expect(existsSync(permissionRequestFile(runDir))).toBe(false);
});

test('an apply elsewhere starts when the ledger grants it', async () => {
  const { run, runDir } = createRun(true);
  const allowed = awaitPermission(run, 'apply');
  expect(existsSync(permissionRequestFile(runDir))).toBe(true);
  answerPermission(runDir, 'granted');
  await allowed;
  // The answer holds for a supervisor that takes over.
  await awaitPermission(run, 'apply');
});

test('an apply elsewhere does not start when the ledger refuses it', async () => {
  const { run, runDir } = createRun(true);
  const allowed = awaitPermission(run, 'apply');
  answerPermission(runDir, 'refused');
  await expect(allowed).rejects.toThrow('given it to another machine');
});

test('an apply that waits for the ledger can be cancelled', async () => {
  const { run, cancel } = createRun(true);
  const allowed = awaitPermission(run, 'apply');
  cancel();
  await expect(allowed).rejects.toMatchObject({ errorCode: 'cancelled' });
});
