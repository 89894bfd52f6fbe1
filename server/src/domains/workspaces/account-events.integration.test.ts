import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventReader, ServerEvent } from '../../../test/event-reader.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createOutbox, everyWorkspace, type Outbox, type OutboxEvent } from '../../kernel/outbox.ts';
import { createWorkspaceEvents } from './events.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const open = (query = '', headers: Record<string, string> = {}) =>
  server.events(`/api/v1/account/events${query}`, headers);
const addOwned = (owner: string) => server.ledger((db) => addWorkspace(db, [owner]));
const newest = () =>
  server.ledger((db) => db.sqlite.prepare('SELECT coalesce(max(seq), 0) AS seq FROM outbox').get() as { seq: number })
    .seq;
/** Inserts an event without notifying the server, as if it had been committed while no reader was connected. */
const pushMissed = (recordId: string, workspaceId = server.workspaceId, kind = 'run') =>
  server.ledger((db) =>
    db.write(() => createOutbox(db, systemClock).push({ workspaceId, kind, recordId, status: 'running' })),
  );
/** Returns the data of the changes that a reader gets, up to the record that marks the end. */
async function changesUntil(mark: string, reader: EventReader): Promise<ServerEvent['data'][]> {
  for (let events = await reader.until('changed'); ; events = await reader.more()) {
    const changes = events.flatMap(({ event, data }) => (event === 'changed' ? [data] : []));
    if (!changes.some(({ id }) => id === mark)) continue;
    reader.close();
    return changes;
  }
}

describe('the stream of an account', () => {
  test('resumes with the Runs of all its Workspaces and sends nothing else', async () => {
    const other = await server.join(undefined);
    const [own, foreign, suspended] = [addOwned(server.subject), addOwned(other.subject), addOwned(server.subject)];
    server.ledger((db) =>
      db.sqlite.prepare("UPDATE members SET status = 'suspended' WHERE workspace_id = ?").run(suspended),
    );
    const from = newest();
    pushMissed('foreign', foreign);
    pushMissed('suspended', suspended);
    pushMissed('machine', everyWorkspace);
    pushMissed('capsule', own, 'capsule');
    pushMissed('second', own);
    pushMissed('requested', own, 'approval_request');
    pushMissed('ended', own, 'late_state');
    pushMissed('first');
    const status = 'running';
    expect(await changesUntil('first', await open(`?after=${from}`))).toEqual([
      { kind: 'run', id: 'second', status, workspaceId: own },
      { kind: 'approval_request', id: 'requested', status, workspaceId: own },
      { kind: 'late_state', id: 'ended', status, workspaceId: own },
      { kind: 'run', id: 'first', status, workspaceId: server.workspaceId },
    ]);
  });

  test('reports a Run that moves while it is open', async () => {
    const reader = await open();
    await reader.until('message');
    const body = { workspaceId: server.workspaceId, name: 'Modules', url: 'https://modules.invalid/a' };
    const { id: sourceId } = (await server.api.createSource({ body })).body.source;
    const { id } = (await server.api.syncSource({ params: { sourceId }, body: {} })).body.run;
    expect((await changesUntil(id, reader)).at(-1)).toMatchObject({ kind: 'run', workspaceId: server.workspaceId });
  });

  test('follows memberships that begin and end while it is open', async () => {
    let report = (_event: OutboxEvent) => {};
    const outbox: Outbox = {
      push: () => {},
      list: () => [],
      listAll: () => [],
      bounds: () => ({ oldest: 0, newest: 0 }),
      listen: (listener) => {
        report = listener;
        return () => {};
      },
    };
    const memberships = new Set<string>();
    const workspaces = { findRoles: (id: string) => (memberships.has(id) ? (['viewer'] as const) : undefined) };
    const written: string[] = [];
    const leaving = new AbortController();
    createWorkspaceEvents({ outbox, clock: systemClock, workspaces })
      .liveOfAccount('sub_reader', undefined)
      .stream.start({ write: (text) => written.push(text) > 0, end: () => {}, onDrain: () => {} }, leaving.signal);
    const reportRun = (recordId: string) => report({ seq: 1, workspaceId: 'ws_joined', kind: 'run', recordId });
    reportRun('before');
    memberships.add('ws_joined');
    reportRun('during');
    memberships.delete('ws_joined');
    reportRun('after');
    await expect.poll(() => written.join('')).toContain('during');
    leaving.abort();
    expect(written.join('')).not.toMatch(/before|after/);
  });

  test('ends when its reader signs out', async () => {
    const leaving = await server.join('viewer');
    const reader = await open('', { authorization: `Bearer ${leaving.token}` });
    await leaving.api.endSession({});
    pushMissed('later');
    expect((await reader.rest()).some(({ event }) => event === 'changed')).toBe(false);
  });
});
