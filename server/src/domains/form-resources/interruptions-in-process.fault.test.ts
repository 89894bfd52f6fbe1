import '../../../test/in-memory.ts';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  afterStart,
  copyOf,
  effectsOf,
  expectWhole,
  interruptedPointsOf,
  prepareOperation,
} from '../../../test/form-host-interruptions.ts';
import { effectOf, expectSound, operationCases } from '../../../test/form-host-operations.ts';
import { openFormHost } from '../../../test/form-host-process.ts';
import { createFailpoints } from '../../kernel/failpoints.ts';

/** Called at each failpoint. */
const armed = vi.hoisted(() => ({ pass: (_: string): void => {} }));
vi.mock('../../kernel/failpoints.ts', async (original) => ({
  ...(await original<typeof import('../../kernel/failpoints.ts')>()),
  failpoint: (name: string) => armed.pass(name),
}));
afterEach(() => {
  armed.pass = () => {};
});

/** Calls back when a point is passed for the nth time. */
function onPoint(point: string, work: () => void): void {
  const [name, nth] = point.split('@');
  let passed = 0;
  armed.pass = (other) => {
    if (other !== name) return;
    passed += 1;
    if (passed === Number(nth)) work();
  };
}

describe.each(operationCases)('the $name of a Resource', (operation) => {
  let prepared: Awaited<ReturnType<typeof prepareOperation>>;
  beforeAll(async () => {
    prepared = await prepareOperation(operation);
  });
  afterAll(() => fs.rmSync(path.dirname(prepared.folder), { recursive: true, force: true }));

  const points = interruptedPointsOf(operation);
  const cases = points.map(([point, isDone]) => ({ point, isDone, end: isDone ? 'finished' : 'dropped' }));
  it.each(cases)('that ends at $point is $end by the next start', async ({ point, isDone }) => {
    const dir = copyOf(prepared.folder);
    let left = '';
    onPoint(point, () => {
      left = copyOf(dir);
    });
    const host = openFormHost(dir);
    await host.send(prepared.same);
    await host.close();
    armed.pass = () => {};
    await expectWhole(left, { operation, prepared, isDone });
    for (const folder of [dir, left]) fs.rmSync(path.dirname(folder), { recursive: true });
  });

  // Listeners run after a commit, and the fault of one is no fault of the request.
  const faults = points.filter(([point]) => !point.startsWith('ledger.heard'));
  it.each(faults.map(([point], index) => `${point}:${index % 2 === 0 ? 'error' : 'enospc'}`))(
    'answers 503 where the disk fails at %s, and succeeds when it is repeated',
    async (failpoint) => {
      const dir = copyOf(prepared.folder);
      armed.pass = createFailpoints({ GROUNDCTL_FAILPOINT: failpoint }) as (name: string) => void;
      const host = openFormHost(dir);
      const answer = await host.send(prepared.same);
      expect(answer).toMatchObject({ status: 503, json: { error: { code: 'backend_unavailable', retryable: true } } });
      // What the request has left is settled when it ends.
      expectSound(dir, host);
      const { done } = effectsOf(operation);
      const status = operation.name === 'delete' ? 204 : 200;
      await afterStart(dir, async (started) => {
        expect((await started.send(prepared.same)).status).toBe(status);
        expect(effectOf(started)).toEqual(done);
      });
      expect((await host.send(prepared.same)).status).toBe(status);
      expect(effectOf(host)).toEqual(done);
      await host.close();
      fs.rmSync(path.dirname(dir), { recursive: true });
    },
  );
});
