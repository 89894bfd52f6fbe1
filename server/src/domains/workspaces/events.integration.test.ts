import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerEvent } from '../../../test/event-reader.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedRun } from '../../../test/ledger-rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createOutbox, everyWorkspace } from '../../kernel/outbox.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const path = (query = '') => `/api/v1/workspaces/${server.workspaceId}/events${query}`;
const open = (query = '', headers: Record<string, string> = {}) => server.events(path(query), headers);
const makeSource = async () => {
  const body = { workspaceId: server.workspaceId, name: 'Modules', url: 'https://example.com/a' };
  return (await server.api.createSource({ body })).body.source.id;
};
const changesIn = (events: readonly ServerEvent[]) => events.filter(({ event }) => event === 'changed');
const newest = () =>
  server.ledger((db) => db.sqlite.prepare('SELECT max(seq) AS seq FROM outbox').get() as { seq: number }).seq;
/** Inserts events without notifying the server, as if they had been committed while no reader was connected. */
const pushEvents = (recordIds: readonly string[], workspaceId = server.workspaceId) =>
  server.ledger((db) => {
    const outbox = createOutbox(db, systemClock);
    db.write(() => {
      for (const recordId of recordIds) outbox.push({ workspaceId, kind: 'run', recordId, status: 'running' });
    });
  });
/** Returns what a reconnecting reader receives until it has caught up; a change of the Source marks the end. */
async function readMissedEvents(after: number): Promise<ServerEvent[]> {
  const reader = await open(`?after=${after}`);
  const mark = await makeSource();
  for (let events = await reader.until('changed'); ; events = await reader.more()) {
    if (!events.some(({ data }) => data?.['id'] === mark)) continue;
    reader.close();
    return events.filter(({ data }) => data?.['id'] !== mark);
  }
}

describe('the stream of a Workspace', () => {
  test('begins with the server clock and the cursor, and then reports changes', async () => {
    await makeSource();
    const before = newest();
    const reader = await open();
    const sourceId = await makeSource();
    const events = await reader.until('changed');
    reader.close();
    expect(events).toEqual([
      { event: 'hb', data: { now: expect.any(Number) } },
      { id: String(before), event: 'message', data: null },
      { id: String(before + 1), event: 'changed', data: { kind: 'source', id: sourceId, status: 'active' } },
    ]);
  });

  test('resumes from the header or the query, and the header wins', async () => {
    const from = newest();
    pushEvents(['one', 'two', 'three']);
    const ids = async (query: string, headers: Record<string, string>) => {
      const reader = await open(query, headers);
      const events = changesIn(await reader.until('changed'));
      reader.close();
      return events.map(({ data }) => data['id']);
    };
    expect(await ids(`?after=${from}`, {})).toEqual(['one', 'two', 'three']);
    expect(await ids('', { 'last-event-id': String(from + 1) })).toEqual(['two', 'three']);
    expect(await ids(`?after=${from}`, { 'last-event-id': String(from + 2) })).toEqual(['three']);
  });

  test('sends only the latest event of each record, in sequence order', async () => {
    const from = newest();
    pushEvents(['busy', 'calm', ...Array.from({ length: 2_500 }, () => 'busy')]);
    const events = changesIn(await readMissedEvents(from));
    expect(events.map(({ id, data }) => [Number(id) - from, data['id'], data['status']])).toEqual([
      [2, 'calm', 'running'],
      [2_502, 'busy', 'running'],
    ]);
  });

  test('batches a burst of events', async () => {
    const sourceId = await makeSource();
    const reader = await open();
    const patch = (name: string) => server.api.updateSource({ params: { sourceId }, body: { name } });
    const changes = 60;
    await Promise.all(Array.from({ length: changes }, (_, n) => patch(`name ${n}`)));
    const last = String(newest());
    let events = await reader.until('changed');
    while (!events.some(({ event, id }) => event === 'changed' && id === last)) events = await reader.more();
    reader.close();
    expect(changesIn(events).length).toBeLessThan(changes);
  });

  test('requests a full reload when the cursor is older or newer than the stored events', async () => {
    const from = newest();
    pushEvents(['one', 'two', 'three']);
    server.ledger((db) => db.sqlite.prepare('DELETE FROM outbox WHERE seq <= ?').run(from + 2));
    const second = async (after: number) => {
      const reader = await open(`?after=${after}`);
      const [, event] = await reader.until(after === from + 2 ? 'changed' : 'reset');
      reader.close();
      return event;
    };
    const reset = { id: String(from + 3), event: 'reset', data: {} };
    expect(await second(from + 1)).toEqual(reset);
    expect(await second(from + 1_000)).toEqual(reset);
    expect(await second(from + 2)).toMatchObject({ event: 'changed', data: { id: 'three' } });
  });

  test('sends nothing of another Workspace, and machine events to everyone', async () => {
    const from = newest();
    pushEvents(['foreign'], 'ws_other');
    pushEvents(['machine'], everyWorkspace);
    pushEvents(['own']);
    expect(changesIn(await readMissedEvents(from)).map(({ data }) => data['id'])).toEqual(['machine', 'own']);
  });

  test('refuses an invalid cursor', async () => {
    for (const query of ['?after=x', '?after=-1', '?after=', '?after=1&after=2']) {
      const { status, json } = await server.request('GET', path(query));
      expect([query, status, json]).toMatchObject([query, 400, { error: { code: 'invalid_request' } }]);
    }
    await expect(open('', { 'last-event-id': '1.5' })).rejects.toThrow('400');
  });

  test('ends when its reader signs out or is no longer a member', async () => {
    const [leaving, removed] = [await server.join('viewer'), await server.join('viewer')];
    const streams = await Promise.all(
      [leaving, removed].map(({ token }) => open('', { authorization: `Bearer ${token}` })),
    );
    await leaving.api.endSession({});
    server.ledger((db) => db.sqlite.prepare('DELETE FROM members WHERE account_id = ?').run(removed.subject));
    await makeSource();
    for (const stream of streams) expect(changesIn(await stream.rest())).toEqual([]);
  });

  test('ends when the server stops, and resumes after its next start', async () => {
    const reader = await open();
    const lastSeq = Number((await reader.until('message')).at(-1)?.id);
    await server.restart();
    await reader.rest();
    seedRun(server);
    expect(changesIn(await readMissedEvents(lastSeq)).map(({ data }) => data['kind'])).toEqual(['run']);
  });
});
