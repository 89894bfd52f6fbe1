import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

/** Sends the request of a browser whose user follows a link or types an address. */
const navigate = (path: string, more: Record<string, string> = {}, method = 'GET') =>
  server.raw({ method, path, headers: { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate', ...more } });

describe('a refused navigation', () => {
  it.each([
    ['/api/v1/auth/link', 405, 'This address is for programs'],
    ['/api/v1/runs/%zz', 401, 'Sign in first'],
    ['/api/v1/nothing', 404, 'Page not found'],
    ['/api/v1/auth/oidc/nothing/callback?state=x', 404, 'Page not found'],
    ['/oauth/authorize?client_id=x', 400, 'The server refused this request'],
  ])('%s is %i as a page that leads on', async (path, status, title) => {
    const { status: got, text, headers } = await navigate(path);
    expect([got, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain('<a href="/">');
    expect(text).toContain(`<code>${headers['x-request-id']}</code>`);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  it('reads in the language of the browser, and repeats nothing of the address', async () => {
    const { text } = await navigate(`/api/v1/${encodeURIComponent('<script>')}`, { 'accept-language': 'ja,en;q=0.5' });
    expect(text).toContain('<html lang="ja">');
    expect(text).not.toContain('script');
  });

  it('keeps the headers of its refusal', async () => {
    expect((await navigate('/api/v1/auth/link')).headers.allow).toBe('POST');
    expect((await navigate('/api/v1/workspaces')).headers['www-authenticate']).toBe('Bearer realm="svc"');
    expect((await navigate('/api/v1/nothing', {}, 'HEAD')).text).toBe('');
  });

  it.each<[string, Record<string, string>]>([
    ['a program that takes any type', { accept: '*/*' }],
    ['a program that takes HTML', { accept: 'text/html' }],
    ['the code of a page', { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
  ])('stays the JSON envelope for %s', async (_who, headers) => {
    const { json } = await server.raw({ path: '/api/v1/nothing', headers });
    expect(json).toMatchObject({ error: { code: 'not_found' } });
  });
});
