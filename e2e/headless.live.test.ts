import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessibilityFindings,
  chromiumPath,
  extremeViews,
  hasChromium,
  shareBrowser,
  signInLink,
  type TestBrowser,
} from './fixtures/browser.ts';
import { startServer, type TestServer } from './fixtures/server.ts';

/** A minimal reverse proxy: it keeps the Host, adds the client address, and streams responses. */
function startProxy(targetPort: () => number): Promise<{ port: number; close(): Promise<void> }> {
  const proxy = http.createServer((request, response) => {
    // Response of an untrusted server before its name is rebound to this one.
    if (request.url === '/evil') return void response.setHeader('content-type', 'text/html').end('<h1>hello</h1>');
    const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress ?? '' };
    const options = { host: '127.0.0.1', port: targetPort(), method: request.method, path: request.url, headers };
    const passed = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  return new Promise((resolve) => {
    proxy.listen(0, '127.0.0.1', () => {
      const close = () =>
        new Promise<void>((done) => {
          proxy.close(() => done());
          proxy.closeAllConnections();
        });
      resolve({ port: (proxy.address() as AddressInfo).port, close });
    });
  });
}

let root: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let server: TestServer;
const dataDir = () => path.join(root, 'data');
const ownPort = () => Number(readFileSync(path.join(dataDir(), 'last-port'), 'utf8'));
beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-e2e-proxy-'));
  proxy = await startProxy(ownPort);
  const env = { GROUNDCTL_PUBLIC_URL: `http://127.0.0.1:${proxy.port}`, GROUNDCTL_TRUST_PROXY: '127.0.0.1' };
  server = await startServer({ dataDir: dataDir(), env });
});
afterAll(async () => {
  await server?.stop();
  await proxy?.close();
  rmSync(root, { recursive: true, force: true });
});

const bearer = () => ({ authorization: `Bearer ${server.token}` });
const runtime = () => JSON.parse(readFileSync(path.join(dataDir(), 'runtime.json'), 'utf8'));

describe('a headless server behind a proxy', () => {
  test('accepts only its public address, also on its own port', async () => {
    expect(server.url).toBe(`http://127.0.0.1:${proxy.port}`);
    expect((await fetch(`${server.url}/api/v1/workspaces`, { headers: bearer() })).status).toBe(200);
    const direct = await fetch(`http://127.0.0.1:${ownPort()}/api/v1/workspaces`, { headers: bearer() });
    expect(direct.status).toBe(421);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(404);
    expect([200, 503]).toContain((await fetch(`http://127.0.0.1:${ownPort()}/readyz`)).status);
  });

  test('streams events immediately', async () => {
    const { workspaces } = (await (await fetch(`${server.url}/api/v1/workspaces`, { headers: bearer() })).json()) as {
      workspaces: { id: string }[];
    };
    const workspaceId = workspaces[0]?.id ?? '';
    const stream = await fetch(`${server.url}/api/v1/workspaces/${workspaceId}/events`, {
      headers: { ...bearer(), accept: 'text/event-stream' },
    });
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const reader = stream.body?.getReader();
    const response = await fetch(`${server.url}/api/v1/sources`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ workspaceId, name: 'Reported', url: 'https://example.com/reported' }),
    });
    const { source } = (await response.json()) as { source: { id: string } };
    let received = '';
    while (!received.includes(source.id)) received += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    expect(received).toContain(source.id);
  });

  test('serves the operator routes only on the operator listener, when there is one', async () => {
    await server.restart({ GROUNDCTL_OPERATOR_PORT: '0' });
    const operator = { authorization: `Bearer ${server.operatorToken}` };
    for (const address of ['/internal/v1/audit', '/metrics'])
      expect((await fetch(server.url + address, { headers: operator })).status).toBe(404);
    const { operatorUrl } = runtime();
    expect((await fetch(`${operatorUrl}/metrics`, { headers: operator })).status).toBe(200);
    expect((await fetch(`${operatorUrl}/api/v1/capabilities`, { headers: operator })).status).toBe(404);
    await server.restart({ GROUNDCTL_OPERATOR_PORT: '' });
  });
});

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await shareBrowser();
  });
  afterAll(() => browser?.close());

  test('a person signs in through the proxy and sees the dashboard', async () => {
    const visitor = await browser.open(await signInLink(server));
    await visitor.page.getByRole('navigation').waitFor();
    expect(new URL(visitor.page.url()).origin).toBe(server.url);
    const cookies = await visitor.page.context().cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toContainEqual([true, 'Lax']);
    await visitor.close();
  });

  test.each(extremeViews)(
    'the settings describe this server, also behind a proxy that hides its health route: %s',
    async (_, view) => {
      const { page, close } = await browser.visit(server, view);
      await page.goto(`${server.url}/settings`);
      const isJapanese = view.language === 'ja';
      await page.getByRole('heading', { name: isJapanese ? 'このサーバー' : 'This server' }).waitFor();
      const hint = isJapanese ? '自身のマシン上のプローブにだけ' : 'only to probes on its own machine';
      await page.getByText(hint).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await close();
    },
  );

  test('a page whose name was rebound to the server reads and changes nothing', async () => {
    const args = ['--no-sandbox', '--host-resolver-rules=MAP rebound.example 127.0.0.1'];
    const other = await chromium.launch({ executablePath: chromiumPath, args });
    try {
      const page = await other.newPage();
      const evil = `http://rebound.example:${proxy.port}`;
      await page.goto(`${evil}/evil`);
      const token = server.token;
      const answers = await page.evaluate(
        async ({ own, bearer: held }) => {
          const status = async (address: string, options: RequestInit) => {
            try {
              return (await fetch(address, options)).status;
            } catch {
              return 'refused by the browser';
            }
          };
          const headers = { authorization: `Bearer ${held}` };
          return [
            await status('/api/v1/capabilities', {}),
            await status('/api/v1/workspaces', { headers }),
            await status('/api/v1/auth/link', { method: 'POST', body: '{}' }),
            await status('/healthz', {}),
            await status(`${own}/api/v1/workspaces`, { headers, credentials: 'include' }),
            await status(`${own}/api/v1/auth/link`, { method: 'POST', body: '{}' }),
          ];
        },
        { own: server.url, bearer: token },
      );
      expect(answers).toEqual([421, 421, 421, 421, 'refused by the browser', 'refused by the browser']);
      const top = await page.goto(`${evil}/sign-in`);
      expect(top?.status()).toBe(421);
    } finally {
      await other.close();
    }
  });
});
