import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { retiredRoutes } from '#shared/retired';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { asNeighbour, seedOneOfEach } from '../../../test/one-of-each.ts';
import { makeToken } from '../../../test/tokens.ts';

const legend = `
Access by route and caller, for a record of the caller's Workspace, of another Workspace, and for a missing record.
A cell has one sign for each of the three, or a single sign when the route names no record.

  +  accepted: the answer comes from the handler
  s  401 invalid_session      t  401 invalid_token       u  401 unauthenticated
  F  403 forbidden            S  403 insufficient_scope  I  403 workspace_membership_inactive
  0  404                      5  405

Update with: npx vitest run --project integration server/src/kernel/http/authorization-matrix.integration.test.ts -u
`.trim();

const clock = heldClock(Date.now());
const routes: readonly Endpoint[] = [
  ...apiTables.flatMap((table): Endpoint[] => Object.values(table)),
  ...retiredRoutes.map(({ message, ...route }) => ({ ...route, summary: message, replies: {} })),
];

let server: TestServer;
let own: Record<string, string>;
let foreign: Record<string, string>;
/** Headers by the name of the caller. */
let callers: [string, Record<string, string>][];
beforeAll(async () => {
  server = await startTestServer({ clock });
  own = await seedOneOfEach(server);
  foreign = await seedOneOfEach(await asNeighbour(server));
  callers = Object.entries(await makeCallers());
});
afterAll(() => server.close());

async function makeCallers(): Promise<Record<string, Record<string, string>>> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const { workspaceId } = server;
  const [admin, member, viewer] = [
    await server.join('admin'),
    await server.join('member'),
    await server.join('viewer'),
  ];
  const [outsider, gone] = [await server.join(undefined), await server.join('owner')];
  server.ledger((db) =>
    db.sqlite.prepare("UPDATE members SET status = 'suspended' WHERE account_id = ?").run(gone.subject),
  );
  const elsewhere = (await server.api.createWorkspace({ body: { handle: 'elsewhere' } })).body.workspace.id;
  const pat = async (subject: string, scope: string, workspace_id?: string) =>
    bearer((await makeToken(server, { subject, scopes: [scope], ...(workspace_id && { workspace_id }) })).token);
  const endedBound = await (async () => {
    const rejoin = (status: string) =>
      server.ledger((db) =>
        db.sqlite.prepare('UPDATE members SET status = ? WHERE account_id = ?').run(status, gone.subject),
      );
    rejoin('active');
    const boundHeaders = await pat(gone.subject, 'admin', workspaceId);
    rejoin('suspended');
    return boundHeaders;
  })();
  return {
    anonymous: {},
    'dead bearer': bearer(`sess_${'A'.repeat(43)}`),
    'dead header': { 'x-svc-account-session': `sess_${'A'.repeat(43)}` },
    operator: bearer(server.operatorToken),
    owner: bearer(server.token),
    admin: bearer(admin.token),
    member: bearer(member.token),
    viewer: bearer(viewer.token),
    outsider: bearer(outsider.token),
    suspended: bearer(gone.token),
    'pat read': await pat(server.subject, 'read'),
    'pat write': await pat(server.subject, 'write'),
    'pat admin': await pat(server.subject, 'admin'),
    'pat admin of viewer': await pat(viewer.subject, 'admin'),
    'pat admin of outsider': await pat(outsider.subject, 'admin'),
    'bound read': await pat(server.subject, 'read', workspaceId),
    'bound write': await pat(server.subject, 'write', workspaceId),
    'bound admin': await pat(server.subject, 'admin', workspaceId),
    'bound elsewhere': await pat(server.subject, 'admin', elsewhere),
    'bound, suspended': endedBound,
  };
}

const signs: Record<string, string> = {
  '401 invalid_session': 's',
  '401 invalid_token': 't',
  '401 unauthenticated': 'u',
  '403 forbidden': 'F',
  '403 insufficient_scope': 'S',
  '403 workspace_membership_inactive': 'I',
};
function signOf({ status, json }: RawAnswer): string {
  if (status === 404) return '0';
  if (status === 405) return '5';
  const { code } = (json as { error?: { code?: string } }).error ?? {};
  return signs[`${status} ${code}`] ?? (status === 500 ? '!' : '+');
}

const namesRecord = (route: Endpoint): boolean => route.path.includes(':') || route.workspaceIn !== undefined;

/** Returns the request with the ids of one Workspace. A write has a body that every route rejects, so that no handler runs. */
function requestOf(route: Endpoint, ids: Record<string, string>) {
  const path = fullPath(route).replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'nothing');
  const named = { [route.workspaceKey ?? 'workspaceId']: ids['workspaceId'] ?? 'ws_nothing' };
  const query = route.workspaceIn === 'query' ? `?${new URLSearchParams(named)}` : '';
  const body = route.workspaceIn === 'body' ? JSON.stringify({ ...bodyOf(route, ids), ...named }) : '{"nothing":1}';
  return { path: path + query, ...(route.method !== 'GET' && { body }) };
}

/** Returns bodies of the routes that name their Workspace in the body, which is read only when the rest has its shape. */
function bodyOf(route: Endpoint, ids: Record<string, string>): object {
  const bodies: Record<string, object> = {
    '/sources': { name: 'n', url: 'ssh://example.com/a' },
    '/connections': { provider: 'git', kind: 'source_git_https_token', values: {} },
    '/connections/oauth/:helperId/start': {},
    '/interfaces': {
      name: 'n',
      ownerRef: { kind: 'Resource', id: 'res_none' },
      spec: { type: 't', version: '1', document: {}, access: { visibility: 'workspace' } },
    },
    '/output-shares': {
      toWorkspaceId: own['workspaceId'],
      producerCapsuleId: ids['capsuleId'] ?? own['capsuleId'],
      outputs: [],
    },
  };
  return bodies[route.path] ?? {};
}

async function cellOf(route: Endpoint, headers: Record<string, string>): Promise<string> {
  const idSets = namesRecord(route) ? [own, foreign, {}] : [own];
  const signsOfCell: string[] = [];
  for (const ids of idSets) {
    const request = requestOf(route, ids);
    const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
    signsOfCell.push(signOf(await server.raw({ method: route.method, ...request, headers: { ...headers, ...type } })));
  }
  return signsOfCell.join('');
}

const together = (route: Endpoint) => Promise.all(callers.map(([, headers]) => cellOf(route, headers)));

/** Gives each caller a fresh minute, so that rate limits do not hide the tested answer. */
async function oneByOne(route: Endpoint): Promise<string[]> {
  const cells: string[] = [];
  for (const [, headers] of callers) {
    clock.advance(60_000);
    cells.push(await cellOf(route, headers));
  }
  return cells;
}

test('every route accepts the callers it is for and no others', { timeout: 300_000 }, async () => {
  const lines: string[] = [];
  for (const route of routes) {
    const cells = await (route.rate === undefined ? together(route) : oneByOne(route));
    lines.push(
      `${route.method.padEnd(6)} ${fullPath(route).padEnd(84)} ${route.class.padEnd(7)} ${cells.map((cell) => cell.padEnd(3)).join('  ')}`.trimEnd(),
    );
  }
  expect(lines.filter((line) => line.includes('!'))).toEqual([]);
  const head = callers.map(([name], at) => `  ${String(at + 1).padStart(2)}  ${name}`).join('\n');
  const numbers = callers.map((_, at) => String(at + 1).padEnd(3)).join('  ');
  const table = [`${' '.repeat(100)}${numbers}`.trimEnd(), ...lines.sort(byPath)].join('\n');
  await expect(`${legend}\n\n${head}\n\n${table}\n`).toMatchFileSnapshot('./authorization-matrix.txt');
});

const byPath = (left: string, right: string): number => left.slice(7).localeCompare(right.slice(7), 'en');
