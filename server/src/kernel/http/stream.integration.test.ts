import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#shared/limits';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Opens a stream that continues until it is aborted. */
async function open(path: string, token = server.token) {
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const answer = await fetch(server.url + path, { headers, signal: gone.signal });
  return { answer, close: () => gone.abort() };
}

test('limits the open streams of each account separately', async () => {
  const path = `/api/v1/workspaces/${server.workspaceId}/events`;
  const streams = await Promise.all(Array.from({ length: limits.eventStreamsPerAccount }, () => open(path)));
  expect(streams.filter(({ answer }) => answer.status === 200)).toHaveLength(limits.eventStreamsPerAccount);
  const { answer } = await open(path);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } });
  const runId = seedRun(server, { feed: [] }).id;
  expect((await open(`/api/v1/runs/${runId}/events`)).answer.status).toBe(429);
  const other = await server.join('viewer');
  const second = await open(path, other.token);
  expect(second.answer.status).toBe(200);
  second.close();
  for (const { close } of streams) close();
  await expect
    .poll(async () => {
      const next = await open(path);
      next.close();
      return next.answer.status;
    })
    .toBe(200);
});
