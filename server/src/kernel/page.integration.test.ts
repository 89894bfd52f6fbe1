import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../test/harness.ts';
import { createCursors, readPage } from './page.ts';

describe('a cursor', () => {
  const cursors = createCursors('key');

  test('decodes to its position, only for the list that created it', () => {
    const cursor = cursors.encode('runs', [7, 'id']);
    expect(cursors.decode('runs', cursor)).toEqual([7, 'id']);
    expect(cursors.decode('runs', undefined)).toBeUndefined();
    expect(() => cursors.decode('capsules', cursor)).toThrow(/does not belong/);
    expect(() => createCursors('other').decode('runs', cursor)).toThrow(/does not belong/);
  });

  test('that was changed in any character is refused', () => {
    const cursor = cursors.encode('runs', [7, 'id']);
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(() => cursors.decode('runs', changed), changed).toThrow(/does not belong/);
    }
    for (const bad of ['', '.', `${cursor}x`, `${cursor}.`, `${cursor}.x`, cursor.slice(0, -1), `.${cursor}`])
      expect(() => cursors.decode('runs', bad), bad).toThrow(/does not belong/);
  });

  test('is given only when something comes after the page', () => {
    const page = (rows: number[]) =>
      readPage(
        cursors,
        { limit: 3 },
        { binding: 'b', fetch: (_, limit) => rows.slice(0, limit), positionOf: (n) => [n] },
      );
    expect(page([1, 2, 3])).toEqual({ rows: [1, 2, 3], limit: 3, next: {} });
    expect(page([])).toEqual({ rows: [], limit: 3, next: {} });
    const { rows, next } = page([1, 2, 3, 4, 5]);
    expect([rows, cursors.decode('b', next.nextCursor)]).toEqual([[1, 2, 3], [3]]);
  });
});

describe('a list over HTTP', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    for (let n = 1; n <= 5; n += 1) {
      const body = { workspaceId: server.workspaceId, name: `s${n}`, url: 'https://example.com/a' };
      await server.api.createSource({ body });
    }
  });
  afterAll(() => server.close());

  const statusCodeAndField = ({ status, json }: RawAnswer) => {
    const { code, details } = (json as { error?: { code: string; details?: { field?: string } } }).error ?? {};
    return [status, code, details?.field];
  };
  const get = (list: string, query: string) =>
    server.request('GET', `/api/v1/${list}${list.includes('?') ? '&' : '?'}${query}`);
  const lists = () => [
    'workspaces',
    `workspaces/${server.workspaceId}/projects`,
    `workspaces/${server.workspaceId}/activity`,
    `workspaces/${server.workspaceId}/runs`,
    `workspaces/${server.workspaceId}/capsules`,
    `workspaces/${server.workspaceId}/current-state-versions`,
    `workspaces/${server.workspaceId}/install-plans`,
    `sources?workspaceId=${server.workspaceId}`,
    `capsule-configs?workspaceId=${server.workspaceId}`,
  ];

  test('gives every row once, in order, whatever the page', async () => {
    for (const limit of [1, 2, 3, 5, 100]) {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { workspaceId: server.workspaceId, limit: String(limit), ...(cursor && { cursor }) };
        const { body } = await server.api.listSources({ query });
        names.push(...body.sources.map(({ name }) => name));
        cursor = body.nextCursor;
      } while (cursor);
      expect(names).toEqual(['s1', 's2', 's3', 's4', 's5']);
    }
  });

  test('refuses a limit that is not a whole number from 1, and clamps one that is too large', async () => {
    for (const list of lists()) {
      for (const limit of ['0', '00', '-1', '+1', '1.5', '1e2', 'x', '', '%201', '１'])
        expect([list, limit, ...statusCodeAndField(await get(list, `limit=${encodeURI(limit)}`))]).toEqual([
          list,
          limit,
          400,
          'invalid_request',
          '/limit',
        ]);
      for (const limit of ['1', '007', '101', '9999999999', '9'.repeat(400)])
        expect([list, limit, (await get(list, `limit=${limit}`)).status]).toEqual([list, limit, 200]);
    }
  });

  test('refuses a cursor that is empty, too long, invalid, or of another list or filter', async () => {
    const query = { workspaceId: server.workspaceId, limit: '1' };
    const own = (await server.api.listSources({ query })).body.nextCursor ?? '';
    const params = { workspaceId: server.workspaceId };
    const other = (await server.api.listActivity({ params, query: { limit: '1' } })).body.nextCursor ?? '';
    for (const list of lists())
      for (const cursor of ['', 'x', 'W10.x', 'x'.repeat(513), list.startsWith('sources') ? other : own])
        expect([list, cursor, ...statusCodeAndField(await get(list, `cursor=${cursor}`))]).toEqual([
          list,
          cursor,
          400,
          'invalid_request',
          '/cursor',
        ]);
    const runs = `workspaces/${server.workspaceId}/runs`;
    await server.api.syncSource({
      params: { sourceId: (await server.api.listSources({ query })).body.sources[0]?.id ?? '' },
      body: {},
    });
    await server.api.syncSource({
      params: { sourceId: (await server.api.listSources({ query })).body.sources[0]?.id ?? '' },
      body: { intent: 'manual_plan' },
    });
    const page = (await get(runs, 'type=source_sync&limit=1')).json as { nextCursor: string };
    expect((await get(runs, `type=source_sync&limit=5&cursor=${page.nextCursor}`)).status).toBe(200);
    expect(statusCodeAndField(await get(runs, `cursor=${page.nextCursor}`))).toEqual([
      400,
      'invalid_request',
      '/cursor',
    ]);
    expect(statusCodeAndField(await get(runs, `type=plan&cursor=${page.nextCursor}`))).toEqual([
      400,
      'invalid_request',
      '/cursor',
    ]);
  });
});
