import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { loadMs } from './http-load.ts';

describe('a load', () => {
  it('sends every request with its token, and fails with the response that is not 200', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.statusCode = request.url === '/' ? 200 : 404;
      response.end('body');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await loadMs({ url: `${url}/`, token: 'secret' }, 40);
      expect(seen).toEqual(Array.from({ length: 40 }, () => 'Bearer secret'));
      await expect(loadMs({ url: `${url}/other` }, 4)).rejects.toThrow('404');
    } finally {
      server.close();
    }
  });
});
