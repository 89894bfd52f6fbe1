import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Folders } from '../../runner/index.ts';
import type { EndedJob } from './held-jobs.ts';
import { createLateStates, maxEnds } from './late-states.ts';

const file = { name: 'apply.json', digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 };
let root: string;
let stop: AbortController;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-late-states-'));
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  fs.rmSync(root, { recursive: true });
});

const endedOf = (id: string) => ({ row: { id, runId: id, machineId: 'rnr_1' }, key: new Secret('key') }) as EndedJob;

function open(fetchFile: () => Promise<void> = async () => {}) {
  const take = vi.fn(() => true);
  const lateStates = createLateStates({
    log: createLog('silent'),
    jobs: { findEnded: () => undefined },
    folders: { runs: root } as Folders,
    link: { fetchFile },
    take,
    runs: { findRecord: () => undefined },
    stopping: stop.signal,
  });
  const offer = (id: string) => lateStates.offer(endedOf(id), [file]);
  /** Offers the state of a job until it is no longer under way. */
  const endOf = (id: string) => expect.poll(() => offer(id), { interval: 1 });
  return { take, offer, endOf };
}

it('answers the end of an offer once, and takes a later offer again', async () => {
  const { take, offer, endOf } = open();
  expect([offer('apply_1'), offer('apply_1')]).toEqual(['pending', 'pending']);
  await endOf('apply_1').toBe('stored');
  expect(take).toHaveBeenCalledTimes(1);
  expect(offer('apply_1')).toBe('pending');
  await endOf('apply_1').toBe('stored');
  expect(take).toHaveBeenCalledTimes(2);
});

it('takes an offer again after its files could not be fetched', async () => {
  const fetchFile = vi.fn(async () => {});
  fetchFile.mockRejectedValueOnce(new Error('NATS is away'));
  const { endOf, take } = open(fetchFile);
  await endOf('apply_1').toBe('stored');
  expect([fetchFile.mock.calls.length, take.mock.calls.length]).toEqual([2, 1]);
});

it('stores a limited number of ends for machines that never ask again', async () => {
  const { take, offer, endOf } = open();
  const ids = Array.from({ length: maxEnds + 1 }, (_, index) => `apply_${index}`);
  for (const id of ids) offer(id);
  await expect.poll(() => take.mock.calls.length).toBe(ids.length);
  await endOf('apply_1').toBe('stored');
  expect(take).toHaveBeenCalledTimes(ids.length);
  // Its end was the oldest one, so its state is taken again.
  expect(offer('apply_0')).toBe('pending');
  await endOf('apply_0').toBe('stored');
  expect(take).toHaveBeenCalledTimes(ids.length + 1);
});
