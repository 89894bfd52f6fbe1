import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { selfSigned } from '../../test/certificate.ts';
import { tempDir, testKeyFile } from '../../test/harness.ts';
import { type RunningServer, StartError, startServer } from '../index.ts';
import { createLog } from '../kernel/log.ts';
import { type Environment, lastPort, readSettings } from '../kernel/settings.ts';

let dataDir: string;
let running: RunningServer[];
beforeEach(() => {
  dataDir = tempDir();
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function start(env: Environment = {}): Promise<RunningServer> {
  const base = { GROUNDCTL_TOOL_PATH: '/nowhere/tofu', GROUNDCTL_KEY_FILE: testKeyFile(dataDir) };
  const server = await startServer({
    settings: readSettings({ ...base, ...env }, { dataDir }),
    log: createLog('silent'),
  });
  running.push(server);
  return server;
}
const runtime = () => JSON.parse(fs.readFileSync(path.join(dataDir, 'runtime.json'), 'utf8'));

type Asking = {
  path?: string;
  method?: string;
  port?: number;
  tls?: https.RequestOptions;
  headers?: Record<string, string>;
};
type HttpResult = { status: number; code: string | undefined; text: string; headers: http.IncomingHttpHeaders };
const sendRequest = ({ path: address = '/api/v1/capabilities', port, tls, ...more }: Asking): Promise<HttpResult> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: port ?? lastPort(dataDir), path: address, agent: false, ...more };
    const onResponse = (answer: http.IncomingMessage) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        const code = /"code":"(\w+)"/.exec(text)?.[1];
        resolve({ status: answer.statusCode ?? 0, code, text, headers: answer.headers });
      });
    };
    const request = tls ? https.request({ ...options, ...tls }, onResponse) : http.request(options, onResponse);
    request.on('error', reject);
    request.end();
  });
const statusAndCode = ({ status, code }: HttpResult) => [status, code];

const publicHost = { host: 'ground.example' };
const proxied = { 'x-forwarded-for': '203.0.113.7' };
const behindProxy = { GROUNDCTL_PUBLIC_URL: 'https://ground.example', GROUNDCTL_TRUST_PROXY: '127.0.0.1' };
const links = { method: 'POST', path: '/internal/v1/sign-in-links' };
const bearer = ({ operatorToken }: RunningServer) => ({ authorization: `Bearer ${operatorToken}` });

describe('a server behind a proxy', () => {
  test('answers people under its public name alone', async () => {
    const server = await start(behindProxy);
    expect(server.url).toBe('https://ground.example');
    expect((await sendRequest({ headers: publicHost })).status).toBe(200);
    const port = lastPort(dataDir);
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'ground.example:443',
      'GROUND.example',
      'evil.example',
    ])
      expect([host, ...statusAndCode(await sendRequest({ headers: { host } }))]).toEqual([
        host,
        421,
        'misdirected_request',
      ]);
    const body = JSON.parse(
      (await sendRequest({ headers: { ...publicHost, 'x-forwarded-host': 'evil.example' } })).text,
    );
    expect(body.apiBaseUrl).toBe('https://ground.example/api/v1');
  });

  test('answers the operator on the same machine under a loopback name, and no request that a proxy forwards', async () => {
    const server = await start(behindProxy);
    const created = await sendRequest({ ...links, headers: bearer(server) });
    expect(created.status).toBe(201);
    expect(JSON.parse(created.text).url).toMatch(/^https:\/\/ground\.example\/sign-in#/);
    expect(statusAndCode(await sendRequest({ ...links, headers: { ...bearer(server), ...proxied } }))).toEqual([
      421,
      'misdirected_request',
    ]);
    expect(runtime()).toMatchObject({
      url: 'https://ground.example',
      operatorUrl: `http://127.0.0.1:${lastPort(dataDir)}`,
    });
  });

  test('reports its health to probes on the same machine and to the operator, and 404 to everyone else', async () => {
    const server = await start(behindProxy);
    for (const address of ['/healthz', '/readyz']) {
      const health = (headers: Record<string, string>) => sendRequest({ path: address, headers });
      expect([200, 503]).toContain((await health({ host: 'probe' })).status);
      expect([200, 503]).toContain((await health({ ...publicHost, ...proxied, ...bearer(server) })).status);
      expect(statusAndCode(await health({ ...publicHost, ...proxied }))).toEqual([404, 'not_found']);
      expect(statusAndCode(await health({ host: 'probe', ...proxied }))).toEqual([421, 'misdirected_request']);
      expect(statusAndCode(await health({ ...publicHost, ...proxied, authorization: 'Bearer x' }))).toEqual([
        404,
        'not_found',
      ]);
      const other = await sendRequest({ path: address, method: 'POST', headers: { ...publicHost, ...proxied } });
      expect(statusAndCode(other)).toEqual([404, 'not_found']);
    }
  });

  test('takes writes of a page from its public origin alone', async () => {
    await start(behindProxy);
    const write = (origin: string) =>
      sendRequest({ method: 'POST', path: '/api/v1/auth/link', headers: { ...publicHost, ...proxied, origin } });
    expect((await write('https://ground.example')).status).toBe(400);
    for (const origin of ['http://ground.example', 'http://127.0.0.1', 'null', 'https://ground.example.evil.example'])
      expect([origin, ...statusAndCode(await write(origin))]).toEqual([origin, 403, 'csrf_failed']);
  });
});

describe('the listener of the operator', () => {
  const operatorPort = { ...behindProxy, GROUNDCTL_OPERATOR_PORT: '0' };
  const portOf = () => Number(new URL(runtime().operatorUrl).port);

  test('answers the routes of the operator and of probes under loopback names, and nothing else', async () => {
    const server = await start(operatorPort);
    const port = portOf();
    expect(port).not.toBe(lastPort(dataDir));
    const created = await sendRequest({ ...links, port, headers: bearer(server) });
    expect([created.status, JSON.parse(created.text).url]).toEqual([
      201,
      expect.stringMatching(/^https:\/\/ground\.example\//),
    ]);
    expect(statusAndCode(await sendRequest({ ...links, port }))).toEqual([401, 'unauthenticated']);
    expect((await sendRequest({ path: '/healthz', port })).status).toBe(200);
    for (const host of ['ground.example', 'evil.example', `127.0.0.1:${lastPort(dataDir)}`])
      expect(statusAndCode(await sendRequest({ ...links, port, headers: { ...bearer(server), host } }))).toEqual([
        421,
        'misdirected_request',
      ]);
    for (const address of ['/', '/sign-in', '/api/v1/capabilities', '/openapi.json', '/favicon.svg', '/internal/v1/x'])
      expect([
        address,
        ...statusAndCode(await sendRequest({ path: address, port, headers: { accept: 'text/html' } })),
      ]).toEqual([address, 404, 'not_found']);
  });

  test('hides these routes on the other listener from every caller', async () => {
    const server = await start(operatorPort);
    for (const method of ['GET', 'POST', 'OPTIONS'])
      for (const address of [
        '/internal/v1/sign-in-links',
        '/internal/v1/vault',
        '/internal/v1',
        '/%69nternal/v1/vault',
      ]) {
        const headers = { ...publicHost, ...bearer(server), accept: 'text/html' };
        expect([address, ...statusAndCode(await sendRequest({ method, path: address, headers }))]).toEqual([
          address,
          404,
          'not_found',
        ]);
      }
  });

  test('works beside a local server too, and links lead to the one for people', async () => {
    const server = await start({ GROUNDCTL_OPERATOR_PORT: '0' });
    const created = await sendRequest({ ...links, port: portOf(), headers: bearer(server) });
    expect(new URL(JSON.parse(created.text).url).origin).toBe(server.url);
  });

  test('gives a readable error for a port in use, and releases the data folder', async () => {
    const other = http.createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(start({ GROUNDCTL_OPERATOR_PORT: String(port) })).rejects.toThrow(`Port ${port} is taken.`);
    await new Promise((resolve) => other.close(resolve));
    await start();
  });
});

describe('an own certificate', () => {
  const write = ({ cert, key }: { cert: string; key: string }): Environment => {
    fs.writeFileSync(path.join(dataDir, 'cert.pem'), cert, { mode: 0o600 });
    fs.writeFileSync(path.join(dataDir, 'key.pem'), key, { mode: 0o600 });
    return {
      GROUNDCTL_TLS_CERT: path.join(dataDir, 'cert.pem'),
      GROUNDCTL_TLS_KEY: path.join(dataDir, 'key.pem'),
    };
  };

  test('serves https on every address of the machine, with HSTS and a cookie that stays on https', async () => {
    const pair = selfSigned('ground.example');
    const server = await start({
      ...write(pair),
      GROUNDCTL_HOST: '0.0.0.0',
      GROUNDCTL_PUBLIC_URL: 'https://ground.example',
      GROUNDCTL_OPERATOR_PORT: '0',
    });
    const tls = { ca: pair.cert, servername: 'ground.example' };
    const answer = await sendRequest({ tls, headers: publicHost });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    await expect(sendRequest({ headers: publicHost })).rejects.toThrow();
    expect(statusAndCode(await sendRequest({ tls, headers: { host: '127.0.0.1' } }))).toEqual([
      421,
      'misdirected_request',
    ]);
    const port = Number(new URL(runtime().operatorUrl).port);
    expect((await sendRequest({ ...links, port, headers: bearer(server) })).status).toBe(201);
  });

  test('makes a local server one of https', async () => {
    const pair = selfSigned('localhost');
    const server = await start(write(pair));
    expect(server.url).toBe(`https://127.0.0.1:${lastPort(dataDir)}`);
    const answer = await sendRequest({
      tls: { ca: pair.cert, servername: 'localhost' },
      headers: { host: `localhost:${lastPort(dataDir)}` },
    });
    expect(JSON.parse(answer.text).apiBaseUrl).toBe(`https://localhost:${lastPort(dataDir)}/api/v1`);
  });

  test('gives a readable error when it cannot be used', async () => {
    const wrong = { cert: selfSigned('a').cert, key: selfSigned('b').key };
    await expect(start(write(wrong))).rejects.toThrow(StartError);
    await expect(start(write({ cert: 'x', key: 'y' }))).rejects.toThrow(/cert\.pem cannot be used/);
    await expect(start({ GROUNDCTL_TLS_CERT: '/nowhere', GROUNDCTL_TLS_KEY: '/nowhere' })).rejects.toThrow(StartError);
    await start();
  });
});

test('an address that this machine does not have gives a readable error', async () => {
  await expect(start({ ...behindProxy, GROUNDCTL_HOST: '192.0.2.1' })).rejects.toThrow(
    /192\.0\.2\.1 is not an address/,
  );
});
