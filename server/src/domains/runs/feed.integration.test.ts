import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeedItem } from '#shared/runs/feed';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { logLine, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
});
afterAll(() => Promise.all([server.close(), git.close()]));

const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
const lines = (count: number): FeedItem[] => Array.from({ length: count }, (_, n) => logLine(`line ${n + 1}`, n));
const ended = (feed: readonly FeedItem[]) => seedRun(server, { feed, moves: ['claim', 'fail'] }).id;
const logs = async (runId: string, query: Record<string, string> = {}) =>
  (await server.api.getRunLogs({ params: { runId }, query: query as never })).body;
const eventsPath = (runId: string, query = '') => `/api/v1/runs/${runId}/events${query}`;

describe('the log, page by page', () => {
  let runId: string;
  beforeAll(() => {
    const note: FeedItem = { kind: 'diagnostic', at: 1, payload: { severity: 'error', message: 'Broken.' } };
    const audit: FeedItem = { kind: 'audit', at: 0, payload: { id: 'evt_1', type: 'plan.requested' } };
    runId = ended([audit, ...lines(10), note, ...lines(10)]);
  });
  const textsOf = (page: { entries: { text: string }[] }) => page.entries.map(({ text }) => text);

  test('reads forward without loss or duplicates to the end', async () => {
    const read: string[] = [];
    let pages = 0;
    for (let after: number | undefined = 0; after !== undefined; pages += 1) {
      const page = await logs(runId, { limit: '7', after: String(after) });
      expect([page.lineCount, page.diagnostics.length, page.auditEvents.length]).toEqual([20, 1, 1]);
      read.push(...textsOf(page));
      after = page.nextAfter;
    }
    const ten = Array.from({ length: 10 }, (_, n) => `line ${n + 1}`);
    expect([read, pages]).toEqual([[...ten, ...ten], 3]);
  });

  test('reads the tail and continues backward from there', async () => {
    const tail = await logs(runId, { before: 'end', limit: '3' });
    expect(textsOf(tail)).toEqual(['line 8', 'line 9', 'line 10']);
    const earlier = await logs(runId, { before: String(tail.entries[0]?.seq), limit: '8' });
    expect(textsOf(earlier)).toEqual(['line 10', ...Array.from({ length: 7 }, (_, n) => `line ${n + 1}`)]);
    expect(textsOf(await logs(runId, { before: '1' }))).toEqual([]);
    expect(tail.entries.map(({ seq }) => seq)).toEqual([...tail.entries.map(({ seq }) => seq)].sort((a, b) => a - b));
  });

  test('of an unfinished Run reports that more may come', async () => {
    const live = seedRun(server, { feed: lines(2) }).id;
    const page = await logs(live);
    expect(page.nextAfter).toBe(page.entries.at(-1)?.seq);
    expect((await logs(live, { after: String(page.nextAfter) })).nextAfter).toBe(page.nextAfter);
  });

  test('refuses both directions at once and an invalid cursor', async () => {
    const path = `/api/v1/runs/${runId}/logs`;
    for (const query of ['after=1&before=5', 'after=-1', 'after=x', 'before=last', 'limit=0', 'after=1&after=2'])
      expect([query, ...statusAndCode(await server.request('GET', `${path}?${query}`))]).toEqual([
        query,
        400,
        'invalid_request',
      ]);
    expect((await server.request('GET', `${path}?limit=100000`)).status).toBe(200);
  });

  test('is returned as plain text on request', async () => {
    const id = ended([logLine('first \u001b[31mred\u001b[0m'), ...lines(2_500)]);
    const { text, headers } = await server.request('GET', `/api/v1/runs/${id}/logs`, undefined, {
      accept: 'text/plain',
    });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const all = text.split('\n');
    expect([all.length, all[0], all[2_500], all[2_501]]).toEqual([2_502, 'first red', 'line 2500', '']);
  });
});

describe('the live stream', () => {
  const read = async (runId: string, query = '', headers: Record<string, string> = {}) =>
    (await server.events(eventsPath(runId, query), headers)).rest();
  const numbersOf = (events: { id?: string; event: string }[]) =>
    events.filter(({ id, event }) => id !== undefined && event !== 'end').map(({ id }) => Number(id));

  test('starts with a heartbeat, sends every item in order and closes with the end', async () => {
    const runId = ended(lines(3));
    const events = await read(runId);
    expect(events.map(({ event }) => event)).toEqual(['hb', 'log', 'log', 'log', 'status', 'status', 'status', 'end']);
    expect(events[0]).toEqual({ event: 'hb', data: { now: expect.any(Number) } });
    expect(events[1]).toEqual({
      id: '1',
      event: 'log',
      data: { seq: 1, at: 0, phase: 'plan', stream: 'stdout', level: 'info', text: 'line 1' },
    });
    expect(events.at(-2)?.data).toMatchObject({ runId, status: 'failed', at: expect.any(Number) });
    expect(events.at(-1)?.data).toEqual({ runId, status: 'failed' });
    expect(numbersOf(events)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('resumes after the last event ID, wherever it was interrupted', async () => {
    const runId = ended(lines(40));
    const whole = numbersOf(await read(runId));
    for (const last of [0, 1, 17, 42, 43, 999]) {
      const rest = whole.filter((seq) => seq > last);
      expect(numbersOf(await read(runId, '', { 'last-event-id': String(last) }))).toEqual(rest);
      expect(numbersOf(await read(runId, `?after=${last}`))).toEqual(rest);
    }
    expect(numbersOf(await read(runId, '?after=1', { 'last-event-id': '30' }))).toEqual(
      whole.filter((seq) => seq > 30),
    );
  });

  test('loses nothing of a feed of many pages', async () => {
    const runId = ended(lines(5_000));
    const numbers = numbersOf(await read(runId));
    expect(numbers).toEqual(Array.from({ length: 5_003 }, (_, n) => n + 1));
  });

  test('sends only the requested kinds', async () => {
    const runId = ended(lines(3));
    const kinds = async (query: string) => (await read(runId, query)).map(({ event }) => event);
    expect(await kinds('?kinds=status,end')).toEqual(['status', 'status', 'status', 'end']);
    expect(await kinds('?kinds=hb')).toEqual(['hb']);
  });

  test('refuses an invalid cursor', async () => {
    const runId = ended([]);
    const stream = { accept: 'text/event-stream' };
    for (const id of ['x', '-1', '1.5', '1e3', ''])
      expect([
        id,
        ...statusAndCode(await server.request('GET', eventsPath(runId), undefined, { ...stream, 'last-event-id': id })),
      ]).toEqual([id, 400, 'invalid_request']);
    for (const query of ['?after=x', '?kinds=log,nonsense', '?kinds='])
      expect(statusAndCode(await server.request('GET', eventsPath(runId, query), undefined, stream))).toEqual([
        400,
        'invalid_request',
      ]);
  });

  test('follows a running Run to its end', async () => {
    const body = { workspaceId: server.workspaceId, name: 'n', url: git.url('x', 'hang') };
    const sourceId = (await server.api.createSource({ body })).body.source.id;
    const { run } = (await server.api.syncSource({ params: { sourceId }, body: {} })).body;
    const [one, two] = await Promise.all([server.events(eventsPath(run.id)), server.events(eventsPath(run.id))]);
    await one.until('phase');
    two.close();
    await server.api.cancelRun({ params: { runId: run.id }, body: {} });
    const events = await one.rest();
    const numbers = numbersOf(events);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'cancelled' } });
  });

  test('ends when the server stops', async () => {
    // No handler executes this type, so the queue ignores it.
    const runId = seedRun(server, { type: 'restore', feed: lines(1) }).id;
    const reader = await server.events(eventsPath(runId));
    await reader.until('status');
    await server.restart();
    expect((await reader.rest()).at(-1)?.event).toBe('status');
  });

  test('needs membership like everything else', async () => {
    const runId = ended([]);
    const outsider = await server.join(undefined);
    const headers = { authorization: `Bearer ${outsider.token}` };
    await expect(server.events(eventsPath(runId), headers)).rejects.toThrow('403');
    await expect(server.events(eventsPath('plan_x'), headers)).rejects.toThrow('404');
  });
});
