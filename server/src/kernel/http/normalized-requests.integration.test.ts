import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubBody } from '../../../test/connection-bodies.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

let keys = 0;
/** Returns the statuses of two requests under one fresh Idempotency-Key. */
async function statusesOf(path: string, first: object, second: object): Promise<number[]> {
  const header = { 'idempotency-key': `normalized ${++keys}` };
  const answers = [];
  for (const body of [first, second]) answers.push(await server.request('POST', `/api/v1${path}`, body, header));
  return answers.map(({ status }) => status);
}

describe('one Idempotency-Key takes a request with and without its defaults as the same', () => {
  it('for a Workspace', async () => {
    const body = { handle: 'normalized' };
    expect(await statusesOf('/workspaces', body, { ...body, type: 'personal', displayName: 'normalized' })).toEqual([
      201, 200,
    ]);
  });

  it('for a Source', async () => {
    const body = { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a' };
    const full = { ...body, defaultRef: 'HEAD', defaultPath: '.', autoSync: false };
    expect(await statusesOf('/sources', body, full)).toEqual([201, 200]);
    expect(await statusesOf('/sources', body, { ...body, autoSync: true })).toEqual([201, 409]);
  });

  it('for a sync', async () => {
    const body = { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/b' };
    const { source } = (await server.api.createSource({ body })).body;
    const path = `/sources/${source.id}/sync`;
    expect(await statusesOf(path, {}, { intent: 'observe' })).toEqual([201, 200]);
  });

  it('for a Project', async () => {
    const path = `/workspaces/${server.workspaceId}/projects`;
    const body = { name: 'p', slug: 'p' };
    expect(await statusesOf(path, body, { ...body, projectJson: {} })).toEqual([201, 200]);
    const other = { name: 'q', slug: 'q', projectJson: { a: {} } };
    expect(await statusesOf(path, other, { ...other, projectJson: {} })).toEqual([201, 409]);
  });

  it('for a member', async () => {
    const path = `/workspaces/${server.workspaceId}/members`;
    const body = { email: 'normalized@example.com' };
    expect(await statusesOf(path, body, { email: ' Normalized@example.com ', role: 'member' })).toEqual([201, 200]);
  });

  it('for a Connection', async () => {
    const body = githubBody(server.workspaceId);
    const hints = { scopeHints: { providerConfig: {} } };
    expect(await statusesOf('/connections', body, { ...body, files: [], scopeHints: {} })).toEqual([201, 200]);
    expect(await statusesOf('/connections', { ...body, ...hints }, body)).toEqual([201, 200]);
    const used = { scopeHints: { providerConfig: { owner: 'acme' } } };
    expect(await statusesOf('/connections', { ...body, ...used }, body)).toEqual([201, 409]);
  });
});
