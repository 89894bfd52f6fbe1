import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code?: string } }).error?.code];

describe('a method outside the table', () => {
  it.each(['QUERY', 'PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'SEARCH'])('%s is 405 with Allow', async (method) => {
    const answer = await server.raw({ method, path: '/api/v1/sources' });
    expect([...statusAndCode(answer), answer.headers.allow]).toEqual([405, 'method_not_allowed', 'GET, POST']);
    expect(statusAndCode(await server.raw({ method, path: '/api/v1/nothing' }))).toEqual([404, 'not_found']);
  });
});

describe('a route of a disabled capability', () => {
  const routes: [string, string][] = [
    ['GET', '/apis/forms.formhost/v1alpha1/forms'],
    ['PUT', '/apis/forms.formhost/v1alpha1/resources/Kind/name'],
    ['DELETE', '/apis/anything'],
  ];
  it.each(routes)('%s %s is 501, before origin, credential and body', async (method, path) => {
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    const answer = await server.raw({ method, path, headers, ...(method !== 'GET' && { body: 'x' }) });
    expect(statusAndCode(answer)).toEqual([501, 'capability_not_available']);
  });

  it('is 405 for another method, and 404 for a path that is not specified', async () => {
    const answer = await server.raw({ method: 'DELETE', path: '/oauth/token' });
    expect([...statusAndCode(answer), answer.headers.allow]).toEqual([405, 'method_not_allowed', 'POST']);
    for (const path of ['/oauth/other', '/oauth', '/.well-known/formhost', '/v1/resources'])
      expect([path, ...statusAndCode(await server.raw({ path }))]).toEqual([path, 404, 'not_found']);
  });
});
