import { afterAll, beforeAll, expect, test } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

const keys = depth({ quick: 20, deep: 200 });
const replays = depth({ quick: 5, deep: 50 });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const count = (table: string): number =>
  server.ledger((db) => db.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number);
const post = (at: string, body: unknown, key: string) => server.request('POST', at, body, { 'idempotency-key': key });
const shown = ({ json }: RawAnswer) => JSON.stringify(json);

/** Sends the same request under the same key many times concurrently and returns the answers, the first one first. */
async function rush(at: string, body: unknown, key: string): Promise<RawAnswer[]> {
  const answers = await Promise.all(Array.from({ length: replays }, () => post(at, body, key)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(replays - 1).fill(200), 201]);
  return answers.sort((a, b) => b.status - a.status);
}

const timeout = 60_000 + keys * replays * 50;

test(`${keys} keys, each sent ${replays} times at once, have one effect each, one row in the trail and equal answers`, {
  timeout,
}, async () => {
  const before = [count('sources'), count('audit_events'), count('receipts')];
  const ids = new Set<string>();
  for (let number = 0; number < keys; number += 1) {
    const body = { workspaceId: server.workspaceId, name: `source ${number}`, url: `https://example.com/${number}` };
    const [first, ...others] = await rush('/api/v1/sources', body, `key ${number}`);
    const { source } = (first as RawAnswer).json as { source: { id: string } };
    ids.add(source.id);
    // Members that are shown once are missing in a replay; everything else is byte-identical.
    expect(new Set(others.map(shown))).toEqual(new Set([JSON.stringify({ source })]));
  }
  expect(ids.size).toBe(keys);
  const after = [count('sources'), count('audit_events'), count('receipts')];
  expect(after.map((now, at) => now - (before[at] ?? 0))).toEqual([keys, keys, keys]);
});

test(`an installation that is requested ${replays} times at once under each of ${keys} keys starts once`, {
  timeout,
}, async () => {
  const before = [count('install_plans'), count('audit_events')];
  for (let number = 0; number < keys; number += 1) {
    const body = {
      source: { name: 'n', url: 'https://example.com/a', ref: 'main', path: '.' },
      capsule: { name: `capsule ${number}`, environment: 'test' },
      variables: { password: `secret ${number}` },
    };
    const at = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
    const answers = await rush(at, body, `install ${number}`);
    expect(new Set(answers.map(shown)).size).toBe(1);
  }
  const after = [count('install_plans'), count('audit_events')];
  expect(after.map((now, at) => now - (before[at] ?? 0))).toEqual([keys, keys]);
});
