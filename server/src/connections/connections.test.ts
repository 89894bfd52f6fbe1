import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsBody, canary, genericBody, gitBody, githubBody } from '../../test/connection-bodies.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
const clock = heldClock();
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const told = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason, details?.field];
};
const create = (body: unknown) => server.ask('POST', '/api/v1/connections', body);
const make = async (body: unknown) => {
  const answer = await create(body);
  expect(answer.status).toBe(201);
  return (answer.json as { connection: { id: string } }).connection;
};
const list = async () =>
  (await server.api.listConnections({ query: { workspaceId: server.workspaceId } })).body.connections;
const find = async (id: string) => (await list()).find((one) => one.id === id);
const materialsOf = (id: string) =>
  server.ledger((db) => db.sqlite.prepare('SELECT id FROM connection_materials WHERE connection_id = ?').all(id));
const operator = (method: string, path: string, body?: unknown) =>
  server.ask(method, `/internal/v1${path}`, body, { authorization: `Bearer ${server.operatorToken}` });

describe('a new Connection', () => {
  test('is answered by its names alone', async () => {
    const connection = await make(
      awsBody(server.workspaceId, {
        displayName: 'Production',
        scopeHints: { providerConfig: { region: 'eu-west-1' } },
      }),
    );
    expect(connection).toEqual({
      id: expect.stringMatching(/^conn_[0-9A-Za-z]{8,64}$/),
      workspaceId: server.workspaceId,
      provider: 'registry.opentofu.org/hashicorp/aws',
      providerSource: 'hashicorp/aws',
      scope: 'workspace',
      status: 'pending',
      displayName: 'Production',
      materialization: 'secret',
      credentialRecipe: {
        id: 'aws',
        authMode: 'static',
        envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
        requiredEnvGroups: [['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
      },
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      scopeHints: { providerConfig: { region: 'eu-west-1' } },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events[0]).toMatchObject({
      action: 'connection.created',
      targetType: 'connection',
      targetId: connection.id,
      metadata: { provider: 'hashicorp/aws', recipeId: 'aws', authMode: 'static' },
    });
  });

  test('of the recipe for any provider keeps names and files that the person declares', async () => {
    const connection = await make(
      genericBody(server.workspaceId, {
        files: [{ path: 'acme/ca.pem', content: 'x'.repeat(9), envName: 'ACME_CA_FILE', mode: '0400' }],
      }),
    );
    expect(connection).toMatchObject({
      envNames: ['ACME_TOKEN'],
      fileEnvNames: ['ACME_CA_FILE'],
      credentialRecipe: { id: 'generic-env', authMode: 'env', declaredEnv: ['ACME_TOKEN', 'ACME_CA_FILE'] },
    });
  });

  test('takes the name and mode of a file from its recipe', async () => {
    const connection = await make({
      workspaceId: server.workspaceId,
      provider: 'google',
      credentialRecipe: { id: 'google', authMode: 'service_account' },
      values: {},
      files: [{ path: 'google/key.json', content: '{}' }],
    });
    expect(connection).toMatchObject({ envNames: [], fileEnvNames: ['GOOGLE_APPLICATION_CREDENTIALS'] });
  });

  test('for Git has neither recipe nor provider', async () => {
    const connection = await make(gitBody(server.workspaceId, { provider: 'whatever' }));
    expect(connection).toMatchObject({
      provider: 'git',
      providerSource: 'git',
      kind: 'source_git_https_token',
      envNames: ['GIT_HTTPS_TOKEN'],
    });
    expect(connection).not.toHaveProperty('credentialRecipe');
  });

  const refused: [string, (workspaceId: string) => Record<string, unknown>, string, string][] = [
    [
      'without a recipe',
      (id) => githubBody(id, { credentialRecipe: undefined }),
      'recipe_unknown',
      '/credentialRecipe',
    ],
    [
      'of a recipe there is not',
      (id) => githubBody(id, { credentialRecipe: { id: 'nope', authMode: 'token' } }),
      'recipe_unknown',
      '/credentialRecipe/id',
    ],
    ['for another provider', (id) => githubBody(id, { provider: 'hashicorp/aws' }), 'recipe_unknown', '/provider'],
    ['for what is no provider', (id) => genericBody(id, { provider: 'a/b/c/d' }), 'recipe_unknown', '/provider'],
    [
      'in a mode there is not',
      (id) => githubBody(id, { credentialRecipe: { id: 'github', authMode: 'app' } }),
      'auth_mode_unknown',
      '/credentialRecipe/authMode',
    ],
    [
      'in a mode of the prototype',
      (id) => githubBody(id, { credentialRecipe: { id: 'github', authMode: 'constructor' } }),
      'auth_mode_unknown',
      '/credentialRecipe/authMode',
    ],
    ['with nothing in it', (id) => githubBody(id, { values: {} }), 'connection_material_missing', '/values'],
    [
      'with an empty value',
      (id) => githubBody(id, { values: { GITHUB_TOKEN: '' } }),
      'connection_material_missing',
      '/values/GITHUB_TOKEN',
    ],
    [
      'with half a group',
      (id) => awsBody(id, { values: { AWS_ACCESS_KEY_ID: 'AK' } }),
      'env_group_incomplete',
      '/values/AWS_SECRET_ACCESS_KEY',
    ],
    [
      'with a name of another',
      (id) => githubBody(id, { values: { GITHUB_TOKEN: 'x', AWS_REGION: 'y' } }),
      'env_name_undeclared',
      '/values/AWS_REGION',
    ],
    [
      'that steers the loader',
      (id) => genericBody(id, { values: { LD_PRELOAD: '/x.so' } }),
      'env_name_undeclared',
      '/values/LD_PRELOAD',
    ],
    [
      'that steers Node',
      (id) => genericBody(id, { values: { Node_Options: '-r /x' } }),
      'env_name_undeclared',
      '/values/Node_Options',
    ],
    [
      'that steers the tool',
      (id) => genericBody(id, { values: { TF_CLI_ARGS: '-x' } }),
      'env_name_undeclared',
      '/values/TF_CLI_ARGS',
    ],
    [
      'with a name that is none',
      (id) => genericBody(id, { values: { 'A-B': 'x' } }),
      'env_name_undeclared',
      '/values/A-B',
    ],
    [
      'with a secret for a name',
      (id) => genericBody(id, { values: { ghp_0123456789abcdef: 'x', 'ghp_0123456789abcdef-': 'x' } }),
      'env_name_undeclared',
      '/values',
    ],
    [
      'with a file the recipe lacks',
      (id) => githubBody(id, { files: [{ path: 'a', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with a file outside',
      (id) => genericBody(id, { files: [{ path: '../a', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with an absolute file',
      (id) => genericBody(id, { files: [{ path: '/etc/passwd', content: 'x' }] }),
      'file_path_invalid',
      '/files/0/path',
    ],
    [
      'with two files in one place',
      (id) =>
        genericBody(id, {
          files: [
            { path: 'a', content: 'x' },
            { path: 'A', content: 'y' },
          ],
        }),
      'file_path_invalid',
      '/files/1/path',
    ],
    [
      'with a file below a file',
      (id) =>
        genericBody(id, {
          files: [
            { path: 'a/b', content: 'x' },
            { path: 'a', content: 'y' },
          ],
        }),
      'file_path_invalid',
      '/files/1/path',
    ],
    [
      'with one name for two',
      (id) => genericBody(id, { files: [{ path: 'a', content: 'x', envName: 'ACME_TOKEN' }] }),
      'env_name_undeclared',
      '/files/0/envName',
    ],
    [
      'with no file where files are the way',
      (id) => genericBody(id, { credentialRecipe: { id: 'generic-env', authMode: 'file' } }),
      'connection_material_missing',
      '/files',
    ],
    [
      'named by a secret',
      (id) => githubBody(id, { displayName: 'ghp_0123456789abcdef' }),
      'secret_like_value',
      '/displayName',
    ],
    [
      'named by its own value',
      (id) => githubBody(id, { displayName: `my ${canary('github')}` }),
      'secret_like_value',
      '/displayName',
    ],
    [
      'with a secret for a hint',
      (id) => githubBody(id, { scopeHints: { providerConfig: { owner: ['AKIA0123456789ABCDEF'] } } }),
      'secret_like_value',
      '/scopeHints/providerConfig/owner/0',
    ],
    [
      'with a hint named like one',
      (id) => githubBody(id, { scopeHints: { providerSettings: { a: { 'api-key': 1 } } } }),
      'secret_like_value',
      '/scopeHints/providerSettings/a/api-key',
    ],
    [
      'with its value as a hint',
      (id) => githubBody(id, { scopeHints: { moduleInputDefaults: { note: `=${canary('github')}=` } } }),
      'secret_like_value',
      '/scopeHints/moduleInputDefaults/note',
    ],
    ['for Git over SSH', (id) => gitBody(id, { kind: 'source_git_ssh_key' }), 'git_ssh_not_supported', '/kind'],
    [
      'for Git with an SSH key',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: '-----BEGIN OPENSSH PRIVATE KEY-----' } }),
      'git_ssh_not_supported',
      '/kind',
    ],
    [
      'for Git without a token',
      (id) => gitBody(id, { values: { GIT_HTTPS_USERNAME: 'ada' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_TOKEN',
    ],
    [
      'for Git with a colon in the name',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: 'x', GIT_HTTPS_USERNAME: 'a:b' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_USERNAME',
    ],
    [
      'for Git with a line break',
      (id) => gitBody(id, { values: { GIT_HTTPS_TOKEN: 'x\ny' } }),
      'connection_material_missing',
      '/values/GIT_HTTPS_TOKEN',
    ],
    [
      'for Git with a recipe',
      (id) => gitBody(id, { credentialRecipe: { id: 'github', authMode: 'token' } }),
      'recipe_unknown',
      '/credentialRecipe',
    ],
    [
      'for Git with an address to try that is none',
      (id) => gitBody(id, { scopeHints: { providerConfig: { url: 'git@example.com:a' } } }),
      'git_ssh_not_supported',
      '/scopeHints/providerConfig/url',
    ],
  ];
  test.each(refused)('%s is refused by its reason', async (_, body, reason, field) => {
    const before = (await list()).length;
    const answer = await create(body(server.workspaceId));
    expect(told(answer)).toEqual([400, 'invalid_argument', reason, field]);
    expect(answer.text).not.toContain('canary');
    expect((await list()).length).toBe(before);
  });

  test('names what is missing of a group', async () => {
    const answer = await create(awsBody(server.workspaceId, { values: { AWS_SESSION_TOKEN: 'x' } }));
    const { details } = (answer.json as { error: { details: Record<string, unknown> } }).error;
    expect(details).toMatchObject({ missing: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] });
  });

  test('of a wrong shape or size is refused before its rules', async () => {
    const id = server.workspaceId;
    const bodies: [Record<string, unknown>, string][] = [
      [{ ...githubBody(id), values: undefined }, '/values'],
      [{ ...githubBody(id), secret: 'x' }, '/secret'],
      [genericBody(id, { values: { A: 'x'.repeat(65_537) } }), '/values/A'],
      [genericBody(id, { values: { A: 'ü'.repeat(40_000) } }), '/values/A'],
      [genericBody(id, { values: { A: 'a\u0000b' } }), '/values/A'],
      [genericBody(id, { files: [{ path: 'a', content: 'x', mode: '0666' }] }), '/files/0/mode'],
      [genericBody(id, { files: [{ path: 'a', content: 'x'.repeat(262_145) }] }), '/files/0/content'],
      [githubBody(id, { expiresAt: 'tomorrow' }), '/expiresAt'],
      [githubBody(id, { scopeHints: { moduleInputDefaults: { 'a b': 1 } } }), '/scopeHints/moduleInputDefaults'],
    ];
    for (const [body, field] of bodies)
      expect([field, ...told(await create(body))]).toEqual([field, 400, 'invalid_request', undefined, field]);
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`A${at}`, 'x'.repeat(60_000)]));
    expect(told(await create(genericBody(id, { values: large })))).toEqual([
      400,
      'invalid_request',
      undefined,
      '/values',
    ]);
  });

  test('is kept once under one Idempotency-Key, and the replay holds no value either', async () => {
    const key = { 'idempotency-key': 'connection' };
    const ask = () => server.ask('POST', '/api/v1/connections', githubBody(server.workspaceId), key);
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual(first.json);
  });
});

describe('values', () => {
  test('lie sealed, each by itself, and open nowhere else', async () => {
    const { id } = await make(awsBody(server.workspaceId));
    const rows = server.ledger((db) =>
      db.sqlite.prepare('SELECT id, name, sealed FROM connection_materials WHERE connection_id = ?').all(id),
    ) as { id: string; name: string; sealed: Buffer }[];
    expect(rows.map(({ id: row }) => row).sort()).toEqual([
      `${id}/env/AWS_ACCESS_KEY_ID`,
      `${id}/env/AWS_SECRET_ACCESS_KEY`,
    ]);
    for (const { sealed } of rows) expect(sealed.includes('canary')).toBe(false);
  });
});

describe('lists', () => {
  test('go page by page, of one Workspace alone', async () => {
    const other = await startTestServer({ clock });
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      clock.advance(1_000);
      const { body } = await other.api.createConnection({ body: githubBody(other.workspaceId) });
      ids.push(body.connection.id);
    }
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { workspaceId: other.workspaceId, limit: '2', ...(cursor && { cursor }) };
      const { body } = await other.api.listConnections({ query });
      read.push(...body.connections.map(({ id }) => id));
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(read).toEqual(ids);
    await other.close();
  });

  test('of what can be bound leave out Git tokens and hold those of the operator', async () => {
    const git = await make(gitBody(server.workspaceId));
    const { workspaceId: _, ...body } = githubBody('');
    const answer = await operator('POST', '/connections', { ...body, displayName: 'Everyone' });
    const shared = (answer.json as { connection: { id: string } }).connection;
    expect(shared).toMatchObject({ scope: 'operator' });
    expect(shared).not.toHaveProperty('workspaceId');
    const { providerConnections } = (
      await server.api.listProviderConnections({ query: { workspaceId: server.workspaceId } })
    ).body;
    const ids = providerConnections.map(({ id }) => id);
    expect(ids).toContain(shared.id);
    expect(ids).not.toContain(git.id);
    expect((await list()).map(({ id }) => id)).not.toContain(shared.id);
  });
});

describe('time', () => {
  test('ends a Connection without anybody writing', async () => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    const { id } = await make(githubBody(server.workspaceId, { expiresAt }));
    expect(await find(id)).toMatchObject({ status: 'pending', expiresAt });
    clock.advance(60_000);
    expect((await find(id))?.status).toBe('expired');
    const tested = await server.api.testConnection({ params: { connectionId: id } });
    expect(tested.body).toMatchObject({ status: 'expired', detail: expect.stringContaining('was to end') });
  });
});

describe('a revoke', () => {
  test('erases the values at once and for good, and is no error the second time', async () => {
    const { id } = await make(awsBody(server.workspaceId));
    expect(materialsOf(id)).toHaveLength(2);
    const params = { connectionId: id };
    expect((await server.api.revokeConnection({ params })).status).toBe(204);
    expect(materialsOf(id)).toEqual([]);
    expect(await find(id)).toMatchObject({
      status: 'revoked',
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    });
    expect((await server.api.revokeConnection({ params })).status).toBe(204);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ action, targetId }) => action === 'connection.revoked' && targetId === id)).toMatchObject([
      { metadata: { erased: 2 } },
    ]);
    const again = await server.ask('POST', `/api/v1/connections/${id}/test`);
    expect(told(again)).toEqual([409, 'failed_precondition', 'connection_revoked', undefined]);
  });

  test('is possible in an archived Workspace, where nothing is created or tested', async () => {
    const { id } = await make(githubBody(server.workspaceId));
    const archive = (at: number | null) =>
      server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    archive(1);
    const answers = [
      await create(githubBody(server.workspaceId)),
      await server.ask('POST', `/api/v1/connections/${id}/test`),
    ];
    const revoked = await server.ask('POST', `/api/v1/connections/${id}/revoke`);
    archive(null);
    for (const answer of answers) expect(told(answer)[2]).toBe('workspace_archived');
    expect(revoked.status).toBe(204);
  });
});

describe('whoever', () => {
  test('is of another Workspace is told of no Connection', async () => {
    const { id } = await make(githubBody(server.workspaceId));
    const stranger = (await server.join(undefined)).token;
    const as = (token: string, method: string, path: string) =>
      server.ask(method, path, undefined, { authorization: `Bearer ${token}` });
    for (const path of [`/api/v1/connections/${id}/test`, `/api/v1/connections/${id}/revoke`]) {
      expect(told(await as(stranger, 'POST', path)).slice(0, 2)).toEqual([404, 'connection_not_found']);
      expect(told(await as(stranger, 'POST', path.replace(id, 'conn_nothing'))).slice(0, 2)).toEqual([
        404,
        'connection_not_found',
      ]);
    }
    expect(told(await as(stranger, 'GET', `/api/v1/connections/${id}/uses`))[0]).toBe(404);
    for (const role of ['member', 'viewer'] as const) {
      const { token } = await server.join(role);
      expect(told(await as(token, 'POST', `/api/v1/connections/${id}/revoke`))[0]).toBe(403);
      expect((await as(token, 'GET', `/api/v1/connections/${id}/uses`)).json).toEqual({ uses: [] });
    }
  });

  test('is no operator finds none of the operator, who tests and revokes them', async () => {
    const { workspaceId: _, ...body } = githubBody('');
    const made = (await operator('POST', '/connections', body)).json as { connection: { id: string } };
    const { id } = made.connection;
    for (const verb of ['test', 'revoke'])
      expect(told(await server.ask('POST', `/api/v1/connections/${id}/${verb}`))).toEqual([
        404,
        'connection_not_found',
        undefined,
        undefined,
      ]);
    expect((await operator('GET', '/connections')).json).toMatchObject({
      connections: expect.arrayContaining([expect.objectContaining({ id })]),
    });
    expect((await operator('GET', `/connections/${id}`)).json).toMatchObject({ connection: { id, status: 'pending' } });
    expect((await operator('POST', `/connections/${id}/test`)).json).toEqual({ status: 'verified' });
    expect((await operator('DELETE', `/connections/${id}`)).status).toBe(204);
    expect((await operator('POST', `/connections/${id}/revoke`)).status).toBe(204);
    expect((await operator('GET', `/connections/${id}`)).json).toMatchObject({ connection: { status: 'revoked' } });
    expect(told(await operator('GET', '/connections/conn_nothing'))).toEqual([
      404,
      'connection_not_found',
      undefined,
      undefined,
    ]);
    expect(told(await operator('GET', '/connections?workspaceId=ws_nothing'))[0]).toBe(404);
    expect(told(await operator('POST', '/connections', { ...body, workspaceId: 'ws_nothing' }))[0]).toBe(404);
    const ofWorkspace = await operator('GET', `/connections?workspaceId=${server.workspaceId}`);
    expect((ofWorkspace.json as { connections: unknown[] }).connections).toHaveLength((await list()).length);
  });
});
