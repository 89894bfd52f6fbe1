import { expect, it } from 'vitest';
import { createDurablePoints } from './durable-points.ts';
import { createLog } from './log.ts';

/** Points whose syncs the test ends, in order. */
function heldPoints(whenBehind: 'refuse' | 'continue' = 'refuse', checkEveryMs = 60_000) {
  const syncs: PromiseWithResolvers<boolean>[] = [];
  const points = createDurablePoints({
    clock: { now: () => 7 },
    log: createLog('silent'),
    sync() {
      const held = Promise.withResolvers<boolean>();
      syncs.push(held);
      return held.promise;
    },
    whenBehind,
    checkEveryMs,
  });
  return { points, syncs };
}

it('joins every point that is requested while one is made into the next one', async () => {
  const { points, syncs } = heldPoints();
  const first = points.confirm();
  const ends: string[] = [];
  const later = ['one', 'other'].map((name) => points.confirm().then(() => ends.push(name)));
  expect(syncs).toHaveLength(1);
  syncs[0]?.resolve(true);
  expect(await first).toBe(true);
  await Promise.resolve();
  expect(ends).toEqual([]);
  await expect.poll(() => syncs.length).toBe(2);
  const third = points.confirm();
  syncs[1]?.resolve(true);
  await Promise.all(later);
  await expect.poll(() => syncs.length).toBe(3);
  syncs[2]?.resolve(true);
  expect(await third).toBe(true);
  expect(syncs).toHaveLength(3);
});

it('refuses while the replica is behind, and says since when', async () => {
  const { points, syncs } = heldPoints();
  const refused = points.confirm();
  syncs[0]?.resolve(false);
  expect(await refused).toBe(false);
  expect(points.behindSince()).toBe(7);
  const confirmed = points.confirm();
  syncs[1]?.resolve(true);
  expect(await confirmed).toBe(true);
  expect(points.behindSince()).toBeUndefined();
});

it('goes on while the replica is behind when the operator has decided so, and reports it', async () => {
  const { points, syncs } = heldPoints('continue');
  const point = points.confirm();
  syncs[0]?.reject(new Error('no socket'));
  expect(await point).toBe(true);
  expect(points.behindSince()).toBe(7);
});

it('notices without a request that the replica stops and is back, until it is stopped', async () => {
  const { points, syncs } = heldPoints('continue', 1);
  points.start();
  for (const [at, isConfirmed] of [false, true].entries()) {
    await expect.poll(() => syncs.length).toBeGreaterThan(at);
    syncs[at]?.resolve(isConfirmed);
    await expect.poll(() => points.behindSince()).toBe(isConfirmed ? undefined : 7);
  }
  points.stop();
});
