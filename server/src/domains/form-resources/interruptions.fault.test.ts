import '../../../test/in-memory.ts';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild } from '../../../test/bundled-child.ts';
import { copyOf, expectWhole, killedPointsOf, prepareOperation } from '../../../test/form-host-interruptions.ts';
import { operationCases } from '../../../test/form-host-operations.ts';

const entry = bundleChild('form-host-child');

describe.each(operationCases)('a process that is killed in the $name of a Resource', (operation) => {
  let prepared: Awaited<ReturnType<typeof prepareOperation>>;
  beforeAll(async () => {
    prepared = await prepareOperation(operation);
  });
  afterAll(() => fs.rmSync(path.dirname(prepared.folder), { recursive: true, force: true }));

  it.each(killedPointsOf(operation))('at %s has done it or not (%s)', async (point, isDone) => {
    const dir = copyOf(prepared.folder);
    const { signal, stderr } = spawnSync(process.execPath, [entry(), dir, JSON.stringify(prepared.same)], {
      env: { ...process.env, GROUNDCTL_FAILPOINT: `${point}:kill` },
      encoding: 'utf8',
    });
    expect(signal, stderr).toBe('SIGKILL');
    await expectWhole(dir, { operation, prepared, isDone });
    fs.rmSync(path.dirname(dir), { recursive: true });
  });
});
