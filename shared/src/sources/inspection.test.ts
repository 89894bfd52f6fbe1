import { describe, expect, it } from 'vitest';
import { createClient } from '../kernel/client.ts';
import { sourcesApi } from './api.ts';
import { modulePathOf, startInspection } from './inspection.ts';

const address = { url: 'https://host.example/team/modules', ref: 'main', path: 'net' };
const sourceOf = (id: string, more: object = {}) => ({
  id,
  url: address.url,
  defaultRef: 'main',
  defaultPath: 'net',
  status: 'active',
  ...more,
});

/** Starts an inspection against a server with these pages of Sources; returns the requests it sent. */
async function inspect(pages: readonly (readonly object[])[], authConnectionId?: string) {
  const requests: string[] = [];
  const api = createClient(sourcesApi, async ({ method, path, body }) => {
    requests.push(`${method} ${path.replace(/^.*\/sources/, '/sources').replace(/\?.*$/, '')}`);
    if (path.endsWith('/sync')) return { status: 202, body: { run: { id: 'sync_1' } } };
    if (method === 'POST') return { status: 201, body: { source: { id: 'src_new', ...(body as object) } } };
    const page = Number(new URLSearchParams(path.split('?')[1]).get('cursor') ?? 0);
    const nextCursor = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
    return { status: 200, body: { sources: pages[page] ?? [], ...nextCursor } };
  });
  const { source, isNewSource, run } = await startInspection(api, { workspaceId: 'ws_1', address, authConnectionId });
  return { source, isNewSource, runId: run.id, requests };
}

describe('startInspection', () => {
  it('uses the Source with the same default address, on any page, and syncs it', async () => {
    const others = [sourceOf('src_ref', { defaultRef: 'next' }), sourceOf('src_off', { status: 'disabled' })];
    const { source, isNewSource, runId, requests } = await inspect([others, [sourceOf('src_1')]]);
    expect([source.id, isNewSource, runId]).toEqual(['src_1', false, 'sync_1']);
    expect(requests).toEqual(['GET /sources', 'GET /sources', 'POST /sources/src_1/sync']);
  });

  it('creates a Source with the name of the repository when none has the address', async () => {
    const { source, isNewSource, requests } = await inspect([[sourceOf('src_path', { defaultPath: '.' })]]);
    expect(source).toMatchObject({ id: 'src_new', name: 'modules', defaultRef: 'main', defaultPath: 'net' });
    expect([isNewSource, requests.at(-1)]).toEqual([true, 'POST /sources/src_new/sync']);
  });

  it('uses only a Source with the requested Connection', async () => {
    const withConnection = sourceOf('src_2', { authConnectionId: 'conn_2' });
    expect((await inspect([[sourceOf('src_1'), withConnection]], 'conn_2')).source.id).toBe('src_2');
    expect((await inspect([[sourceOf('src_1')]], 'conn_2')).source).toMatchObject({
      id: 'src_new',
      authConnectionId: 'conn_2',
    });
  });
});

it('chooses the named module, else the only one', () => {
  const [one, two] = [{ path: 'a' }, { path: 'b' }];
  expect([modulePathOf([one], undefined), modulePathOf([one], 'x'), modulePathOf([one, two], undefined)]).toEqual([
    'a',
    'x',
    undefined,
  ]);
});
