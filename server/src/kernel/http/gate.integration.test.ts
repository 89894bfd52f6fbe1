import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';

let server: TestServer;
/** The owner's session as a cookie, `name=value`. */
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  const { url } = (await server.as(server.operatorToken).issueSignInLink({ body: {} })).body;
  const signedIn = await server.raw({
    method: 'POST',
    path: '/api/v1/auth/link',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URL(url).hash.slice(1) }),
  });
  cookie = signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
});
afterAll(() => server.close());

const codeOf = ({ json }: RawAnswer) => (json as { error?: { code: string } }).error?.code;
const statusAndCode = (answer: RawAnswer) => [answer.status, codeOf(answer)];
const noRun = 'plan_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const mine = (rest = '') => `/api/v1/workspaces/${server.workspaceId}${rest}`;

describe('the host', () => {
  const request = (headers: string[], path = '/api/v1/capabilities', method = 'GET') =>
    server.raw({ method, path, headers });

  test('is one of the three loopback names with the port the server listens on', async () => {
    const { port } = new URL(server.url);
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      expect((await request(['host', `${name}:${port}`])).status).toBe(200);
  });

  test('is refused under any other name, port or spelling', async () => {
    const { port } = new URL(server.url);
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${Number(port) + 1}`,
      `127.0.0.1:0${port}`,
      `127.0.0.1.:${port}`,
      `127.0.0.2:${port}`,
      `127.0.0.1:${port}.evil.example`,
      `user@127.0.0.1:${port}`,
      '',
    ];
    for (const host of hosts)
      expect([host, ...statusAndCode(await request(['host', host]))]).toEqual([host, 421, 'misdirected_request']);
  });

  test('must be present exactly once, and the target must be a path', async () => {
    const answers = [
      await request([]),
      await request(['host', server.host, 'host', server.host]),
      await request(['host', server.host, 'Host', 'evil.example']),
      await request(['host', server.host], `http://${server.host}/api/v1/capabilities`),
      await request(['host', server.host], '*', 'OPTIONS'),
    ];
    for (const answer of answers) {
      expect(statusAndCode(answer)).toEqual([400, 'invalid_request']);
      expect(answer.headers.connection).toBe('close');
    }
  });

  test('is checked before path, method, origin, credential and body', async () => {
    const wrong = ['host', 'evil.example'];
    const cases: [string, string][] = [
      ['GET', '/nothing'],
      ['GET', '/sign-in'],
      ['DELETE', '/api/v1/capabilities'],
      ['OPTIONS', '/api/v1/capabilities'],
      ['GET', mine('/runs')],
      ['GET', '/api/v1/runs/%zz'],
      ['POST', '/internal/v1/sign-in-links'],
    ];
    for (const [method, path] of cases) {
      const headers = [...wrong, 'accept', 'text/html', 'origin', 'https://evil.example'];
      expect([path, ...statusAndCode(await request(headers, path, method))]).toEqual([
        path,
        421,
        'misdirected_request',
      ]);
    }
  });

  test('does not matter to health and readiness, which a probe on the same machine asks for', async () => {
    expect((await request(['host', 'probe'], '/healthz')).status).toBe(200);
    expect((await request(['host', 'probe'], '/readyz')).status).toBe(503);
    expect((await request(['host', 'a', 'host', 'b'], '/healthz')).status).toBe(400);
  });
});

describe('path and method', () => {
  test('an unknown path is 404 in every namespace, also for a browser', async () => {
    const paths = ['/api/v1/nothing', '/internal/v1/x', '/v1/x', '/oauth/x', '/hooks/x', '/.well-known/x'];
    for (const path of [...paths, '/assets/app.js', '/api'])
      expect([path, ...statusAndCode(await server.raw({ path, headers: { accept: 'text/html' } }))]).toEqual([
        path,
        404,
        'not_found',
      ]);
    expect(statusAndCode(await server.raw({ path: '/nothing' }))).toEqual([404, 'not_found']);
  });

  test('any other page address is the dashboard, for GET and HEAD', async () => {
    for (const path of ['/', '/sign-in', '/runs/plan_1']) {
      const answer = await server.raw({ path, headers: { accept: 'text/html,*/*' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      const head = await server.raw({ method: 'HEAD', path, headers: { accept: 'text/html,*/*' } });
      expect([head.status, head.text]).toEqual([200, '']);
    }
  });

  test('a wrong method is 405 with the right ones, before any credential is checked', async () => {
    const wrong: [string, string, string][] = [
      ['DELETE', '/api/v1/capabilities', 'GET'],
      ['OPTIONS', '/api/v1/capabilities', 'GET'],
      ['OPTIONS', '/healthz', 'GET'],
      ['PUT', '/api/v1/sources', 'GET, POST'],
      ['PATCH', '/internal/v1/sign-in-links', 'POST'],
      ['TRACE', '/api/v1/account/session/me', 'GET, DELETE'],
    ];
    for (const [method, path, allow] of wrong) {
      const answer = await server.raw({ method, path, headers: { origin: 'https://evil.example' } });
      expect([path, ...statusAndCode(answer), answer.headers.allow]).toEqual([path, 405, 'method_not_allowed', allow]);
    }
  });

  test('a retired address is 405 only for a caller who may read the record it names, whatever the body', async () => {
    const capsule = await seedCapsule(server);
    const retired: [string, string][] = [
      ['POST', mine('/capsules')],
      ['PUT', `/api/v1/capsules/${capsule.id}/provider-bindings`],
      ['PATCH', `/api/v1/capsule-configs/${capsule.installConfigId}`],
    ];
    const [outsider, viewer] = [await server.join(undefined), await server.join('viewer')];
    for (const [method, path] of retired) {
      const requestAs = (token: string) =>
        server.raw({ method, path, headers: { authorization: `Bearer ${token}` }, body: 'x'.repeat(2_000_000) });
      expect(statusAndCode(await server.raw({ method, path }))).toEqual([401, 'invalid_session']);
      expect(statusAndCode(await requestAs(outsider.token))).toEqual([403, 'forbidden']);
      const answer = await requestAs(viewer.token);
      expect([...statusAndCode(answer), answer.headers.allow]).toEqual([405, 'method_not_allowed', 'GET']);
    }
    const gone = ['/api/v1/capsules/cap_none/provider-bindings', '/v1/workspaces', '/v1/runs/x', '/v1'];
    for (const path of gone) expect(statusAndCode(await server.request('PUT', path, {}))).toEqual([404, 'not_found']);
  });

  test('a parameter that is over-long or badly encoded is 404, but only for a signed-in caller', async () => {
    for (const id of ['x'.repeat(1_100), '%zz', '%', '%ff', '%2F', '..%2f..', '%00']) {
      const path = `/api/v1/runs/${id}`;
      expect([id, ...statusAndCode(await server.raw({ path }))]).toEqual([id, 401, 'invalid_session']);
      expect([id, ...statusAndCode(await server.request('GET', path))]).toEqual([id, 404, 'not_found']);
      expect([id, ...statusAndCode(await server.request('PUT', path))]).toEqual([id, 405, 'method_not_allowed']);
    }
  });
});

describe('the browser rule', () => {
  const sync = { method: 'POST', path: '/api/v1/sources' };
  const requestWithCookie = (headers: Record<string, string>, request: { method: string; path: string } = sync) =>
    server.raw({ ...request, headers: { cookie, ...headers } });

  test('a write with a cookie proves its origin', async () => {
    expect(statusAndCode(await requestWithCookie({}))).toEqual([403, 'csrf_failed']);
    expect(statusAndCode(await requestWithCookie({ origin: server.url }))).toEqual([400, 'invalid_request']);
    expect((await requestWithCookie({}, { method: 'GET', path: mine() })).status).toBe(200);
  });

  test('another origin is refused whatever the credential, for reads too', async () => {
    const { port } = new URL(server.url);
    const origins = ['https://evil.example', 'null', `https://127.0.0.1:${port}`, `http://localhost:${port}`];
    for (const origin of [...origins, `http://127.0.0.1:${Number(port) + 1}`, `${server.url}/`, '']) {
      expect([origin, ...statusAndCode(await requestWithCookie({ origin }))]).toEqual([origin, 403, 'csrf_failed']);
      expect([origin, ...statusAndCode(await server.request('GET', mine(), undefined, { origin }))]).toEqual([
        origin,
        403,
        'csrf_failed',
      ]);
    }
  });

  test('a request that a browser marks as foreign is refused', async () => {
    for (const site of ['cross-site', 'same-site', 'strange', '']) {
      const answer = await server.request('GET', mine(), undefined, { 'sec-fetch-site': site });
      expect([site, ...statusAndCode(answer)]).toEqual([site, 403, 'csrf_failed']);
    }
    for (const site of ['same-origin', 'none'])
      expect((await server.request('GET', mine(), undefined, { 'sec-fetch-site': site })).status).toBe(200);
  });

  test('public reads are open to every page, public writes are not', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    for (const path of ['/api/v1/capabilities', '/.well-known/svc', '/openapi.json', '/healthz'])
      expect((await server.raw({ path, headers: foreign })).status).toBe(200);
    const link = { method: 'POST', path: '/api/v1/auth/link', body: '{"token":"x"}' };
    const json = { 'content-type': 'application/json' };
    expect(statusAndCode(await server.raw({ ...link, headers: { ...json, ...foreign } }))).toEqual([
      403,
      'csrf_failed',
    ]);
    expect(statusAndCode(await server.raw({ ...link, headers: { ...json, cookie } }))).toEqual([
      401,
      'invalid_credentials',
    ]);
  });

  test('the origin is checked before the credential', async () => {
    const headers = { origin: 'https://evil.example', authorization: 'Bearer wrong' };
    expect(statusAndCode(await server.raw({ path: mine(), headers }))).toEqual([403, 'csrf_failed']);
    const operator = { method: 'POST', path: '/internal/v1/sign-in-links', headers };
    expect(statusAndCode(await server.raw(operator))).toEqual([403, 'csrf_failed']);
  });
});

describe('credentials', () => {
  const dead = `sess_${'A'.repeat(43)}`;
  const header = 'x-svc-account-session';
  const request = (headers: Record<string, string>, path = mine()) => server.raw({ path, headers });

  test('a session is taken as bearer, as header and as cookie', async () => {
    const bearer = { authorization: `Bearer ${server.token}` };
    const shouted = { authorization: `BEARER ${server.token}` };
    for (const headers of [bearer, shouted, { [header]: server.token }, { cookie }]) {
      expect((await request(headers)).status).toBe(200);
      expect((await request(headers, '/api/v1/account/session/me')).json).toMatchObject({ subject: server.subject });
    }
  });

  test('nothing at all, and a session that has ended, are 401 invalid_session', async () => {
    const none = await request({});
    expect([...statusAndCode(none), none.headers['www-authenticate']]).toEqual([
      401,
      'invalid_session',
      'Bearer realm="svc"',
    ]);
    const name = cookie.split('=', 1)[0];
    for (const headers of [{ [header]: dead }, { [header]: '' }, { cookie: `${name}=${dead}` }]) {
      const answer = await request(headers);
      expect([...statusAndCode(answer), answer.headers['www-authenticate']]).toEqual([
        401,
        'invalid_session',
        'Bearer realm="svc", error="invalid_session"',
      ]);
    }
  });

  test('a bearer that is unknown, malformed or of another kind is 401 invalid_token', async () => {
    const { operatorToken, token } = server;
    const presented = [`Bearer ${dead}`, 'Bearer', 'Bearer ', `Bearer  ${token}`, `Bearer ${token} `, `Basic ${token}`];
    for (const authorization of [...presented, token, `Bearer ${operatorToken}`, `Bearer ${token}, ${token}`, '']) {
      const answer = await request({ authorization });
      if (authorization === `Bearer ${token} `) {
        // The HTTP parser strips the space.
        expect(answer.status).toBe(200);
        continue;
      }
      expect([authorization, ...statusAndCode(answer), answer.headers['www-authenticate']]).toEqual([
        authorization,
        401,
        'invalid_token',
        'Bearer realm="svc", error="invalid_token"',
      ]);
    }
  });

  test('the first one present decides; its failure never falls through to the next', async () => {
    const good = { [header]: server.token, cookie };
    expect(statusAndCode(await request({ ...good, authorization: `Bearer ${dead}` }))).toEqual([401, 'invalid_token']);
    expect(statusAndCode(await request({ cookie, [header]: dead }))).toEqual([401, 'invalid_session']);
    const me = await request({ ...good, authorization: `Bearer ${dead}` }, '/api/v1/account/session/me');
    expect(me.json).toEqual({ session: null });
  });

  test('a public route reads no credential, not even a dead one', async () => {
    for (const headers of [{ authorization: `Bearer ${dead}` }, { authorization: '!' }, { [header]: dead }])
      expect((await request(headers, '/api/v1/capabilities')).status).toBe(200);
  });

  test('operator routes take the operator token as bearer and nothing else', async () => {
    const link = (headers: Record<string, string>) =>
      server.raw({ method: 'POST', path: '/internal/v1/sign-in-links', headers });
    expect((await link({ authorization: `Bearer ${server.operatorToken}` })).status).toBe(201);
    const refused: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${server.token}` },
      { authorization: 'Bearer' },
      { [header]: server.operatorToken },
      { cookie: `${cookie.split('=', 1)[0]}=${server.operatorToken}`, origin: server.url },
    ];
    for (const headers of refused) expect(statusAndCode(await link(headers))).toEqual([401, 'unauthenticated']);
  });
});

describe('record and membership', () => {
  test('an unknown record is 404 for every caller, before membership and body', async () => {
    const outsider = await server.join(undefined);
    const cases: [string, string][] = [
      ['GET', '/api/v1/workspaces/ws_nothing'],
      ['GET', '/api/v1/projects/prj_nothing'],
      ['GET', `/api/v1/runs/${noRun}`],
      ['POST', `/api/v1/runs/${noRun}/apply`],
      ['PATCH', '/api/v1/sources/src_nothing'],
      ['DELETE', '/api/v1/capsules/cap_nothing'],
      ['GET', '/api/v1/capsule-configs/icfg_nothing'],
      ['GET', '/api/v1/state-versions/state_nothing'],
      ['GET', '/api/v1/compatibility-reports/caprep_nothing'],
      ['POST', '/api/v1/install-plans/gip_nothing/reconcile'],
    ];
    for (const [method, path] of cases) {
      const body = method === 'GET' ? {} : { body: 'x'.repeat(2_000_000) };
      const headers = { authorization: `Bearer ${outsider.token}`, 'content-type': 'text/plain' };
      expect([path, ...statusAndCode(await server.raw({ method, path, headers, ...body }))]).toEqual([
        path,
        404,
        'not_found',
      ]);
    }
  });

  test('a foreign record is 403, before media type, size and shape of the body', async () => {
    const outsider = await server.join(undefined);
    const authorization = `Bearer ${outsider.token}`;
    for (const path of [mine(), mine('/runs'), `/api/v1/projects/prj_default_${server.workspaceId}`])
      expect(statusAndCode(await server.raw({ path, headers: { authorization } }))).toEqual([403, 'forbidden']);
    const install = { method: 'POST', path: mine('/install-plans'), body: 'x'.repeat(2_000_000) };
    const headers = { authorization, 'content-type': 'text/plain' };
    expect(statusAndCode(await server.raw({ ...install, headers }))).toEqual([403, 'forbidden']);
  });

  test('where only query or body names the Workspace, membership follows their shape', async () => {
    const outsider = await server.join(undefined);
    const headers = { authorization: `Bearer ${outsider.token}` };
    const named = [`/api/v1/sources?workspaceId=${server.workspaceId}`, '/api/v1/sources?workspaceId=ws_unknown'];
    expect(statusAndCode(await server.raw({ path: named[0] ?? '', headers }))).toEqual([403, 'forbidden']);
    expect(statusAndCode(await server.raw({ path: named[1] ?? '', headers }))).toEqual([404, 'not_found']);
    expect(statusAndCode(await server.raw({ path: '/api/v1/sources', headers }))).toEqual([400, 'invalid_request']);
    const configs = `/api/v1/capsule-configs?workspaceId=${server.workspaceId}`;
    expect(statusAndCode(await server.raw({ path: configs, headers }))).toEqual([403, 'forbidden']);
    const create = (workspaceId: string) =>
      outsider.api.createSource({ body: { workspaceId, name: 'n', url: 'https://example.com/a' } });
    await expect(create(server.workspaceId)).rejects.toMatchObject({ status: 403 });
    await expect(create('ws_unknown')).rejects.toMatchObject({ status: 404 });
  });

  test('roles: a viewer reads, a member proposes, an admin writes, a suspended member has no access', async () => {
    const viewer = await server.join('viewer');
    const member = await server.join('member');
    const admin = await server.join('admin');
    const input = { body: { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a' } };
    await expect(viewer.api.createSource(input)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    const { source } = (await member.api.createSource(input)).body;
    const rename = { params: { sourceId: source.id }, body: { name: 'other' } };
    for (const api of [viewer.api, member.api])
      await expect(api.updateSource(rename)).rejects.toMatchObject({ status: 403 });
    expect((await admin.api.updateSource(rename)).body.source.name).toBe('other');
    expect((await viewer.api.getSource({ params: { sourceId: source.id } })).status).toBe(200);
    server.ledger((db) =>
      db.sqlite.prepare("UPDATE members SET status = 'suspended' WHERE account_id = ?").run(viewer.subject),
    );
    await expect(viewer.api.getSource({ params: { sourceId: source.id } })).rejects.toMatchObject({ status: 403 });
  });
});
