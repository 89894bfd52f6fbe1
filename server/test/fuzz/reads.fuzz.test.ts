import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type FuzzFixture, fuzz, fuzzSeed, fuzzShare, openFuzzFixture } from './fixture.ts';

let fixture: FuzzFixture;
beforeAll(async () => {
  fixture = await openFuzzFixture();
}, 60_000);
afterAll(() => fixture?.close());

const routes = apiTables.flatMap((table) => Object.entries(table)).filter(([, { method }]) => method === 'GET');

test(`every read responds as published to any request (seed ${fuzzSeed})`, { timeout: 600_000 }, async () => {
  const { faults, requests, ms, statuses } = await fuzz(fixture, routes, fuzzShare);
  console.log(JSON.stringify({ case: 'fuzz reads', seed: fuzzSeed, requests, ms, statuses: [...statuses].sort() }));
  expect(faults).toEqual([]);
  expect(requests).toBeGreaterThanOrEqual(fuzzShare.requests);
});
