import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

/**
 * Every route, requested as pages of this and other origins would, with every kind of credential. A quick run sends every
 * ninth probe: the 65 probes of a route are no multiple of nine, so each site and credential reaches many routes.
 */
const stride = depth({ quick: 9, deep: 1 });
let server: TestServer;
let cookie: string;
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_FORM_HOST: '1' } });
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
  const body = JSON.stringify({ token: new URL(url).hash.slice(1) });
  const answer = await server.raw({ method: 'POST', path: '/api/v1/auth/link', headers: {}, body });
  cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

type Site = { host: string; origin: string | undefined; site: string | undefined; mode: string | undefined };
type Credential = 'none' | 'cookie' | 'session' | 'operator' | 'dead';
type Probe = { endpoint: Endpoint; method: string; path: string; type: string } & Site & { credential: Credential };

/** Pages and programs: the host they address, their origin, and the fetch metadata of the browser. */
function sites(): Site[] {
  const own = server.host;
  const port = new URL(server.url).port;
  const at = (more: Partial<Site>): Site => ({
    host: own,
    origin: undefined,
    site: undefined,
    mode: undefined,
    ...more,
  });
  return [
    at({}),
    at({ origin: `http://${own}` }),
    at({ origin: `http://${own}`, site: 'same-origin', mode: 'cors' }),
    at({ site: 'none', mode: 'navigate' }),
    at({ site: 'cross-site', mode: 'navigate' }),
    at({ origin: 'https://evil.example', site: 'cross-site', mode: 'cors' }),
    at({ origin: 'null', site: 'cross-site', mode: 'no-cors' }),
    // Another port of the same machine is another origin, though browsers consider it the same site.
    at({ origin: `http://127.0.0.1:${Number(port) + 1}`, site: 'same-site', mode: 'cors' }),
    at({ origin: `https://${own}` }),
    at({ origin: `http://localhost:${port}` }),
    // A DNS name that an attacker points at this machine (DNS rebinding).
    at({ host: `rebound.example:${port}`, origin: `http://rebound.example:${port}`, site: 'same-origin' }),
    at({ host: `rebound.example:${port}` }),
    at({ host: `localhost:${port}`, origin: `http://localhost:${port}`, site: 'same-origin' }),
  ];
}

const credentials: Credential[] = ['none', 'cookie', 'session', 'operator', 'dead'];
const isRead = (method: string) => method === 'GET' || method === 'HEAD';
const types = [
  'application/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
];

function probes(): Probe[] {
  const endpoints = apiTables.flatMap((table): Endpoint[] => Object.values(table));
  const combinations: Probe[] = [];
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint).replace(/:\w+/g, 'nothing');
    for (const site of sites())
      for (const credential of credentials)
        combinations.push({
          ...site,
          endpoint,
          credential,
          path,
          method: endpoint.method === 'GET' && combinations.length % 7 === 0 ? 'HEAD' : endpoint.method,
          type: types[combinations.length % types.length] ?? '',
        });
  }
  return combinations.filter((_probe, at) => at % stride === 0);
}

const headersOf = (credential: Credential): Record<string, string> => {
  if (credential === 'none') return {};
  if (credential === 'cookie') return { cookie };
  const tokens = { session: server.token, operator: server.operatorToken, dead: `sess_${'A'.repeat(43)}` };
  return { authorization: `Bearer ${tokens[credential]}` };
};

/** Sends a body that every route rejects, so that no handler runs. */
const send = ({
  method,
  path,
  host,
  origin,
  site,
  mode,
  credential,
  type,
}: Probe): Promise<[number, string | undefined]> =>
  new Promise((resolve, reject) => {
    const body = isRead(method) ? '' : '{"nothing":1}';
    const headers = {
      host,
      ...(origin !== undefined && { origin }),
      ...(site !== undefined && { 'sec-fetch-site': site }),
      ...(mode !== undefined && { 'sec-fetch-mode': mode }),
      ...headersOf(credential),
      ...(body !== '' && { 'content-type': type, 'content-length': String(body.length) }),
    };
    const { hostname, port } = new URL(server.url);
    const request = http.request({ hostname, port, method, path, headers, agent }, (answer) => {
      // A stream that a page may open does not end.
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        resolve([answer.statusCode ?? 0, undefined]);
        return void request.destroy();
      }
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve([answer.statusCode ?? 0, /"code":"(\w+)"/.exec(text)?.[1]]));
    });
    request.on('error', reject);
    request.end(body);
  });

/** Expected answer of a probe: the first refusal, or that the handler is reached. */
function expected({ endpoint, method, host, origin, site, credential }: Probe): 'misdirected' | 'csrf' | 'accepted' {
  const hosts = [server.host, `localhost:${new URL(server.url).port}`];
  if (!hosts.includes(host)) return endpoint.anyHost ? 'accepted' : 'misdirected';
  if (endpoint.class === 'X' && isRead(method)) return 'accepted';
  const isForeign =
    (origin !== undefined && origin !== `http://${host}`) ||
    (site !== undefined && !['same-origin', 'none'].includes(site));
  const isUnproven = credential === 'cookie' && endpoint.class !== 'X' && !isRead(method) && origin === undefined;
  return isForeign || isUnproven ? 'csrf' : 'accepted';
}

const statusOf = { misdirected: 421, csrf: 403, accepted: 0 };
/** Codes of the gate's first steps, which no accepted request gets. */
const early = ['misdirected_request', 'csrf_failed'];

test('all probes get the answer of the browser rule, and none outside its exemptions is accepted', {
  timeout: 120_000,
}, async () => {
  const allProbes = probes();
  expect(allProbes.length).toBeGreaterThanOrEqual(Math.floor(5_000 / stride));
  const wrong: string[] = [];
  const counts = { misdirected: 0, csrf: 0, accepted: 0 };
  const queue = [...allProbes];
  const work = async () => {
    for (let probe = queue.pop(); probe; probe = queue.pop()) {
      const [status, code] = await send(probe);
      // A page that sends too many requests is refused before any other check.
      if (status === 429 && probe.endpoint.rate !== undefined) continue;
      const want = expected(probe);
      counts[want] += 1;
      const isRight =
        want === 'accepted'
          ? !early.includes(code ?? '') && status !== 421 && (status < 500 || status === 501 || status === 503)
          : status === statusOf[want];
      if (!isRight) wrong.push(JSON.stringify([want, status, code, { ...probe, endpoint: undefined }]));
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(counts.csrf).toBeGreaterThan(1_500 / stride);
  expect(counts.misdirected).toBeGreaterThan(700 / stride);
  expect(counts.accepted).toBeGreaterThan(1_500 / stride);
});
