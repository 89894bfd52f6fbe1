import { afterAll, beforeAll, expect, test } from 'vitest';
import { tables } from '#server/compose/tables';
import { type FuzzGround, fuzz, fuzzSeed, fuzzShare, openFuzzGround } from './ground.ts';

let ground: FuzzGround;
beforeAll(async () => {
  ground = await openFuzzGround();
}, 60_000);
afterAll(() => ground?.close());

const routes = tables.flatMap((table) => Object.entries(table)).filter(([, { method }]) => method === 'GET');

test(`every read answers what is published, whatever is asked (seed ${fuzzSeed})`, { timeout: 600_000 }, async () => {
  const { faults, requests, ms, statuses } = await fuzz(ground, routes, fuzzShare);
  console.log(JSON.stringify({ case: 'fuzz reads', seed: fuzzSeed, requests, ms, statuses: [...statuses].sort() }));
  expect(faults).toEqual([]);
  expect(requests).toBeGreaterThanOrEqual(25_000);
});
