import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { makeToken } from '../../../test/tokens.ts';

const clock = heldClock();
let server: TestServer;
/** An account with five Workspaces, in creation order. */
let api: TestClient;
let subject: string;
let ids: string[];
beforeAll(async () => {
  server = await startTestServer({ clock });
  ({ api, subject } = await server.join(undefined));
  ids = [(await api.listWorkspaces({})).body.workspaces[0]?.id ?? ''];
  for (let at = 1; at < 5; at++) {
    clock.advance(at === 3 ? 0 : 1_000);
    ids.push((await api.createWorkspace({ body: { handle: `space-${at}` } })).body.workspace.id);
  }
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
const of = (page: { workspaces: { id: string }[] }) => page.workspaces.map(({ id }) => id);

describe('the page', () => {
  test('is in order of creation, and the next page continues where it ended', async () => {
    const first = (await api.listWorkspaces({ query: { limit: '2' } })).body;
    expect(first).toMatchObject({ returned: 2, limit: 2, truncated: true });
    expect(first).not.toHaveProperty('total');
    const rest = (await api.listWorkspaces({ query: { cursor: first.nextCursor ?? '' } })).body;
    expect([...of(first), ...of(rest)]).toEqual(ids);
    expect(rest).toMatchObject({ returned: 3, limit: 100, truncated: false });
    expect(rest).not.toHaveProperty('nextCursor');
  });

  test('is by latest change on request; a cursor of one order is not valid in the other', async () => {
    clock.advance(1_000);
    await api.updateWorkspace({ params: { workspaceId: ids[1] ?? '' }, body: { displayName: 'Touched' } });
    const first = (await api.listWorkspaces({ query: { order: 'updated_desc', limit: '1' } })).body;
    expect(of(first)).toEqual([ids[1]]);
    const cursor = first.nextCursor ?? '';
    const rest = (await api.listWorkspaces({ query: { order: 'updated_desc', cursor } })).body;
    expect(new Set([...of(first), ...of(rest)])).toEqual(new Set(ids));
    await expect(api.listWorkspaces({ query: { cursor } })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('is stable while Workspaces are created', async () => {
    const person = await server.join(undefined);
    const own = (await person.api.listWorkspaces({})).body.workspaces[0]?.id ?? '';
    const make = async (handle: string) => (await person.api.createWorkspace({ body: { handle } })).body.workspace.id;
    const before = [own, await make('before-1'), await make('before-2')];
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await person.api.listWorkspaces({ query: { limit: '1', ...(cursor && { cursor }) } })).body;
      seen.push(...of(page));
      cursor = page.nextCursor;
      if (seen.length < 3) await make(`later-${seen.length}`);
    } while (cursor !== undefined);
    expect(seen.slice(0, 3)).toEqual(before);
    expect(seen).toEqual(of((await person.api.listWorkspaces({})).body));
  });

  test('counts only on request, and before the cursor', async () => {
    const first = (await api.listWorkspaces({ query: { limit: '2', includeTotal: 'true' } })).body;
    expect(first.total).toBe(5);
    const query = { limit: '2', includeTotal: '1', cursor: first.nextCursor ?? '' } as const;
    expect((await api.listWorkspaces({ query })).body.total).toBe(5);
  });

  test.each(['order=newest', 'limit=0', 'limit=x', 'cursor=', 'cursor=abc', 'includeTotal=yes', 'limit=1&limit=2'])(
    'refuses %s',
    async (query) => {
      expect(statusAndCode(await server.request('GET', `/api/v1/workspaces?${query}`))).toEqual([
        400,
        'invalid_request',
      ]);
    },
  );
});

describe('the selected Workspace', () => {
  test('is added to the first page when it is missing there', async () => {
    const selectedWorkspaceId = ids[4] ?? '';
    const first = (await api.listWorkspaces({ query: { limit: '2', selectedWorkspaceId } })).body;
    expect(of(first)).toEqual([ids[0], ids[1], ids[4]]);
    expect(first).toMatchObject({ returned: 3, limit: 2, truncated: true, pinnedWorkspaceId: ids[4] });
    const cursor = first.nextCursor ?? '';
    const second = (await api.listWorkspaces({ query: { limit: '2', selectedWorkspaceId, cursor } })).body;
    expect(second).not.toHaveProperty('pinnedWorkspaceId');
    expect(of(second)).toEqual([ids[2], ids[3]].sort());
    const within = (await api.listWorkspaces({ query: { selectedWorkspaceId } })).body;
    expect([within.returned, 'pinnedWorkspaceId' in within]).toEqual([5, false]);
  });

  test('is not pinned when it is not the caller’s', async () => {
    for (const selectedWorkspaceId of [server.workspaceId, 'ws_nothing', '']) {
      const page = (await api.listWorkspaces({ query: { limit: '1', selectedWorkspaceId } })).body;
      expect([of(page), 'pinnedWorkspaceId' in page]).toEqual([[ids[0]], false]);
    }
  });
});

describe('archived ones', () => {
  test('are listed only on request, and always in the inventory', async () => {
    const params = { workspaceId: ids[2] ?? '' };
    await api.updateWorkspace({ params, body: { archived: true } });
    expect(of((await api.listWorkspaces({})).body)).not.toContain(ids[2]);
    const pinned = (await api.listWorkspaces({ query: { limit: '1', selectedWorkspaceId: params.workspaceId } })).body;
    expect(pinned).not.toHaveProperty('pinnedWorkspaceId');
    expect(of((await api.listWorkspaces({ query: { includeArchived: 'true' } })).body)).toContain(ids[2]);
    const inventory = (await api.listWorkspaceInventory({ query: { limit: '2' } })).body;
    expect(inventory).toMatchObject({ total: 5, returned: 2, limit: 2, truncated: true });
    const rest = (await api.listWorkspaceInventory({ query: { cursor: inventory.nextCursor ?? '' } })).body;
    expect(new Set([...of(inventory), ...of(rest)])).toEqual(new Set(ids));
    await api.updateWorkspace({ params, body: { archived: false } });
  });
});

describe('the inventory', () => {
  const requestInventory = (token: string, query = '') =>
    server.raw({ path: `/api/v1/views/workspaces.v1${query}`, headers: { authorization: `Bearer ${token}` } });

  test('creates no Workspace, and accepts two parameters', async () => {
    const outsider = await server.join(undefined);
    expect((await requestInventory(outsider.token)).json).toEqual({
      kind: 'svc.account-workspace-inventory@v1',
      workspaces: [],
      total: 0,
      returned: 0,
      limit: 100,
      truncated: false,
    });
    for (const query of ['?order=created_asc', '?includeTotal=true', '?limit=0', '?limit=1&limit=1'])
      expect(statusAndCode(await requestInventory(server.token, query))).toEqual([400, 'invalid_request']);
    expect((await requestInventory(server.token, '?limit=500')).json).toMatchObject({ limit: 100 });
  });

  test('is only for sessions', async () => {
    const tokens = [
      await makeToken(server, { subject, scopes: ['read'] }),
      await makeToken(server, { subject, scopes: ['admin'], workspace_id: ids[0] ?? '' }),
    ];
    for (const { token } of tokens) expect(statusAndCode(await requestInventory(token))).toEqual([403, 'forbidden']);
  });
});

test('a bound token sees its Workspace and is refused another', async () => {
  const { token } = await makeToken(server, { subject, scopes: ['read'], workspace_id: ids[3] ?? '' });
  const bound = server.as(token);
  const page = (await bound.listWorkspaces({ query: { includeTotal: 'true', selectedWorkspaceId: ids[3] ?? '' } }))
    .body;
  expect([of(page), page.total, page.pinnedWorkspaceId]).toEqual([[ids[3]], 1, undefined]);
  for (const selectedWorkspaceId of [ids[0] ?? '', 'ws_nothing'])
    await expect(bound.listWorkspaces({ query: { selectedWorkspaceId } })).rejects.toMatchObject({ code: 'forbidden' });
});
