import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Pieces, so that no scanner takes this file for a leak. */
const secrets = [
  `ghp_${'a1'.repeat(8)}`,
  `github_pat_${'b2'.repeat(12)}`,
  `sk-${'c3'.repeat(8)}`,
  `${'AKI'}A${'D4'.repeat(8)}`,
  `AIza${'e5'.repeat(16)}`,
  `xoxb-${'f6'.repeat(8)}`,
  `eyJ${'g7'.repeat(4)}.${'h8'.repeat(4)}.${'i9'.repeat(4)}`,
  `svcpat_${'j0'.repeat(12)}`,
  `Bearer k1${'l2'.repeat(6)}`,
  `Authorization: m3${'n4'.repeat(6)}`,
  `-----BEGIN RSA PRIVATE ${'KEY'}-----o5${'p6'.repeat(6)}`,
  `postgres://ada:q7${'r8'.repeat(4)}@db.example/notes`,
  `https://s9${'t0'.repeat(4)}@a.example/`,
  `password=u1${'v2'.repeat(4)}`,
  `{"api_key": "w3${'x4'.repeat(4)}"}`,
  `rk_live_${'y5'.repeat(8)}`,
] as const;
/** Keys that are named like a credential or like a record of the host, each with a value that must not be repeated. */
const keys = ['password', 'Api-Key', 'accessKey', 'private_key', 'dsn', 'AUTH', 'session-id', 'workspaceId'] as const;

type Spec = Record<string, unknown>;
const deep = (value: unknown, levels: number): unknown =>
  levels === 0 ? value : levels % 2 === 0 ? { a: deep(value, levels - 1) } : [1, deep(value, levels - 1)];
const literal = (value: unknown): Spec => ({ document: {}, inputs: { a: { source: 'literal', value } } });
const marked = 'unmistakable-value';
const places: readonly ((value: unknown) => Spec)[] = [
  (value) => ({ document: { note: value } }),
  (value) => ({ document: deep(value, 9) }),
  (value) => literal(deep(value, 5)),
];
/** 16 secrets in three places and as a key each, and keys in a document and in a literal. */
const documents: Spec[] = [
  ...secrets.flatMap((secret) => places.map((place) => place(secret))),
  ...keys.map((key) => ({ document: deep({ [key]: marked }, 4) })),
  ...keys.map((key) => literal(deep({ [key]: marked }, 3))),
];

const access = { visibility: 'workspace' };
const common = { type: 'mcp.server', version: '2025-11-25', access };
const bodyOf = (spec: Spec, name: string) => {
  const { workspaceId } = server;
  return { workspaceId, name, ownerRef: { kind: 'Workspace', id: workspaceId }, spec: { ...common, ...spec } };
};
const refusal = { error: { code: 'invalid_argument', details: { reason: 'secret_like_value' } } };
const needles = [...secrets, marked];

function expectRefused({ status, json, text }: Awaited<ReturnType<TestServer['request']>>, what: string): void {
  expect(status, what).toBe(400);
  expect(json, what).toMatchObject(refusal);
  for (const needle of needles) expect(text, what).not.toContain(needle);
}

describe('64 Interface documents with secrets in values, keys and nested literals', () => {
  it('are 64', () => expect(documents).toHaveLength(64));

  it('are never accepted by POST, and never repeated', async () => {
    for (const spec of documents)
      expectRefused(await server.request('POST', '/api/v1/interfaces', bodyOf(spec, 'refused')), JSON.stringify(spec));
    const { interfaces } = (
      await server.api.listInterfaces({ query: { workspaceId: server.workspaceId, includeRetired: 'true' } })
    ).body;
    expect(interfaces).toEqual([]);
  });

  it('are never accepted by PATCH, and leave the record as it was', async () => {
    const created = await server.request('POST', '/api/v1/interfaces', bodyOf({ document: {} }, 'kept'));
    const address = `/api/v1/interfaces/${(created.json as { id: string }).id}`;
    for (const spec of documents) {
      const patch = { spec: { ...common, ...spec } };
      expectRefused(await server.request('PATCH', address, patch, { 'if-match': '*' }), JSON.stringify(spec));
    }
    expect((await server.request('GET', address)).json).toEqual(created.json);
  });

  it('are never accepted in a label or as a key', async () => {
    for (const secret of secrets) {
      const labelled = { ...bodyOf({ document: {} }, 'labelled'), labels: { note: secret } };
      expectRefused(await server.request('POST', '/api/v1/interfaces', labelled), `label ${secret}`);
      const keyed = bodyOf({ document: { [secret]: 1 } }, 'keyed');
      expect((await server.request('POST', '/api/v1/interfaces', keyed)).status).toBe(400);
    }
  });

  it('but prose that only mentions such a word is', async () => {
    const document = { title: 'Sign in with your password', note: 'The token is shown once', tokens: undefined };
    const { status } = await server.request('POST', '/api/v1/interfaces', bodyOf({ document }, 'prose'));
    expect(status).toBe(201);
  });
});
