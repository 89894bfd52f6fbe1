import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkRedirect, guardedLookup } from './connect-rules.ts';
import { GitError } from './git-error.ts';
import { createHttpClient } from './http-client.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const open = { allowLoopback: true, allowLocal: false };
const closed = { allowLoopback: false, allowLocal: false };

async function listen(server: net.Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function get(url: URL, maxBytes = 1_000): Promise<string> {
  const client = createHttpClient(open, new AbortController().signal);
  cleanups.push(client.close);
  try {
    const response = await client.send({ method: 'GET', url, headers: {}, maxBytes });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } catch (error) {
    return error instanceof GitError ? error.code : `not a GitError: ${error}`;
  }
}

describe('a request', () => {
  it('reads a response up to its limit and not a byte more', async () => {
    const url = await listen(http.createServer((_request, response) => response.end('0123456789')));
    expect(await get(url, 10)).toBe('0123456789');
    expect(await get(url, 9)).toBe('source_too_large');
  });

  it('fails by code when the other side does not speak HTTP, or stops in the middle', async () => {
    const garbage = await listen(
      net.createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n')),
    );
    expect(await get(garbage)).toBe('source_not_git');
    const half = await listen(
      http.createServer((_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      }),
    );
    expect(await get(half)).toBe('source_unreachable');
  });
});

describe('the address that is connected to', () => {
  const lookup = (access: typeof open, all: boolean) =>
    new Promise<unknown>((resolve) => {
      guardedLookup(access)('localhost', { all }, (error, address) => resolve(error ?? address));
    });

  it('is checked after the name was resolved', async () => {
    for (const all of [true, false]) {
      expect(await lookup(closed, all)).toMatchObject({ code: 'source_fetch_refused' });
      expect(await lookup(open, all)).not.toBeInstanceOf(Error);
    }
  });
});

describe('a redirect', () => {
  const allowed = (from: string, to: string, access = open): boolean => {
    try {
      checkRedirect(new URL(from), new URL(to), access);
      return true;
    } catch (error) {
      if (error instanceof GitError && error.code === 'source_fetch_refused') return false;
      throw error;
    }
  };

  it('is followed only to addresses a Git URL may name, and never from https to http', () => {
    expect(allowed('https://a.example/r', 'https://b.example/r/info/refs?service=git-upload-pack')).toBe(true);
    expect(allowed('http://localhost/r', 'http://127.0.0.1/r')).toBe(true);
    expect(allowed('http://localhost/r', 'https://a.example/r')).toBe(true);
    expect(allowed('https://a.example/r', 'http://localhost/r')).toBe(false);
    for (const to of [
      'https://169.254.169.254/r',
      'https://[::]/r',
      'https://u:p@b.example/r',
      'file:///etc/r',
      'ftp://b.example/r',
    ]) {
      expect(allowed('https://a.example/r', to), to).toBe(false);
    }
    expect(allowed('https://a.example/r', 'https://127.0.0.1/r', closed)).toBe(false);
    expect(allowed('http://localhost/r', 'http://b.example/r')).toBe(false);
  });
});
