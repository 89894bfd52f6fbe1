import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { type AppBrowser, openAppBrowser } from '../../../test/issuer/browser.ts';
import { findKeyringUnavailableReason, type Keyring, startKeyring } from '../../../test/keyring.ts';

const noKeyring = findKeyringUnavailableReason();

let server: TestServer;
let browser: AppBrowser;
let home: string;
beforeAll(async () => {
  server = await startTestServer();
  browser = await openAppBrowser(server);
});
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-login-'));
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(home, { recursive: true });
});
afterAll(() => server.close());

type Visit = (address: string) => Promise<string>;
const allow: Visit = (address) => browser.authorize(address);

/** Runs `login` and opens the address that it prints. Returns what the command and the last page say. */
const login = (argv: readonly string[] = [], visit = allow) => loginTo(['--insecure-storage', ...argv], visit);

async function loginTo(argv: readonly string[], visit: Visit) {
  let page: Promise<string> | undefined;
  const result = await groundctl.watched(['login', server.url, ...argv], (text) => {
    const address = /Sign in here: (\S+)/.exec(text)?.[1];
    if (address !== undefined) page ??= visit(address);
  });
  return { ...result, page: await page };
}
const at = (...argv: string[]) => groundctl(...argv, '--url', server.url);
const loginFile = (): string => {
  const folder = path.join(home, 'groundctl', 'logins');
  return path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.json')) ?? '');
};
type Stored = { tokens: { refreshToken: string; accessToken: string; accessExpiresAt: number } };
const readStored = (): Stored => JSON.parse(fs.readFileSync(loginFile(), 'utf8')) as Stored;
const countGrants = () =>
  server.ledger(({ sqlite }) => sqlite.prepare('SELECT count(*) AS count FROM oidc_grants').get());
const expireAccess = () => {
  const stored = readStored();
  fs.writeFileSync(loginFile(), JSON.stringify({ ...stored, tokens: { ...stored.tokens, accessExpiresAt: 0 } }));
};

describe('login', () => {
  it('signs in with the browser, and the commands that follow use it', async () => {
    const { code, out, page } = await login();
    expect([code, page]).toEqual([0, expect.stringContaining('groundctl is signed in')]);
    expect(out).toMatch(/You are logged in at http:\S+, in the Workspace \S+\.\n$/);
    expect(fs.statSync(loginFile()).mode & 0o777).toBe(0o600);
    expect(await at('sources')).toMatchObject({ code: 0, out: expect.stringContaining('There are no Sources yet') });
    const listed = await groundctl('login', '--list', '--json');
    expect(JSON.parse(listed.out)).toEqual({
      logins: [
        {
          url: server.url,
          workspaceId: server.workspaceId,
          workspaceHandle: expect.any(String),
          signedInAt: expect.any(String),
          storage: 'file',
        },
      ],
    });
  });

  it('prints no token, not even in JSON', async () => {
    const { out, err } = await login(['--json']);
    const { refreshToken, accessToken } = readStored().tokens;
    for (const secret of [refreshToken, accessToken]) expect(out + err).not.toContain(secret);
    expect(JSON.parse(out)).toMatchObject({ login: { url: server.url, storage: 'file' } });
  });

  it('is refused when the person denies it, and says so in the browser', async () => {
    const result = await login([], async (address) => {
      for (const { id } of (await server.api.listConsents({})).body.consents)
        await server.api.withdrawConsent({ params: { consentId: id } });
      return browser.authorize(address, { decision: 'deny' });
    });
    expect([result.code, result.err]).toEqual([1, expect.stringContaining('refused the sign-in')]);
    expect(result.page).toContain('groundctl is not signed in');
    expect((await at('sources')).err).toContain(`Run \`groundctl login ${server.url}\``);
  });

  it('goes on waiting when a redirect has another state', async () => {
    const result = await login([], async (address) => {
      const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      redirect.search = 'code=foreign&state=foreign';
      expect((await fetch(redirect)).status).toBe(404);
      return browser.authorize(address);
    });
    expect(result).toMatchObject({ code: 0, page: expect.stringContaining('groundctl is signed in') });
  });

  it('replaces an earlier login and ends it', async () => {
    await login();
    const { accessToken } = readStored().tokens;
    await login();
    await expect(server.as(accessToken).listWorkspaces({})).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await at('sources')).toMatchObject({ code: 0 });
  });

  it.runIf(process.platform === 'linux')('reports a keychain that is not there before it opens a browser', async () => {
    for (const name of ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR']) vi.stubEnv(name, '');
    const { code, out, err } = await groundctl('login', server.url);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('--insecure-storage')]);
    expect((await groundctl('login', '--list')).out).toContain('not logged in anywhere');
  });

  it('ends a login that it cannot store', async () => {
    const file = path.join(home, 'file');
    fs.writeFileSync(file, '');
    vi.stubEnv('XDG_CONFIG_HOME', file);
    const before = await countGrants();
    const { code, err } = await login();
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be written')]);
    expect(await countGrants()).toEqual(before);
  });

  it.each([
    ['its Workspace cannot be read', 1, 'No server answers', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'it is interrupted after the exchange',
      130,
      'You are not logged in.',
      (send: () => Promise<Response>) => {
        process.emit('SIGINT');
        return send();
      },
    ],
  ])('ends at the server, and says so in the browser, when %s', async (_, exitCode, message, atWorkspace) => {
    const before = await countGrants();
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
      const send = () => fetch(address, init);
      return /\/workspaces\/[^/]+$/.test(String(address)) ? atWorkspace(send) : send();
    });
    const { code, err, page } = await login().finally(() => vi.unstubAllGlobals());
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(page).toContain('groundctl is not signed in');
    expect(await countGrants()).toEqual(before);
    expect((await groundctl('login', '--list')).out).toContain('not logged in anywhere');
  });

  it.each([
    [[], 'needs the address'],
    [['https://a.example', 'https://b.example'], 'takes one address'],
    [['http://ground.example'], 'in clear'],
  ])('refuses %j', async (argv, reason) => {
    const { code, err } = await groundctl('login', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  });

  it('names the address of the issuer when another one is used', async () => {
    const other = server.url.replace('127.0.0.1', 'localhost');
    const { code, err } = await groundctl('login', other);
    expect([code, err]).toEqual([2, expect.stringContaining(`Run \`groundctl login ${server.url}\``)]);
  });
});

describe('the Workspace of a login', () => {
  it('is named by handle or id, or chosen in the browser', async () => {
    const handle = `team-${Date.now()}`;
    const body = { handle, displayName: 'The <team>' };
    const { workspace } = (await server.api.createWorkspace({ body })).body;
    for (const named of [handle, workspace.id]) {
      expect(await login(['--workspace', named])).toMatchObject({ code: 0, out: expect.stringContaining(handle) });
    }
    const chosen = await login([], (address) => browser.authorize(address, { choose: 'The &lt;team&gt;' }));
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining(handle) });
    const elsewhere = await login(['--workspace', 'elsewhere'], async (address) => {
      expect(await browser.authorize(address)).toContain('You are in no open Workspace of that name');
      return browser.authorize(address, { choose: 'The &lt;team&gt;' });
    });
    expect(elsewhere.out).toContain(handle);
  });
});

describe('a login', () => {
  it('is renewed once by commands that run at the same time', async () => {
    await login(['--workspace', server.workspaceId]);
    const { refreshToken } = readStored().tokens;
    expireAccess();
    const answers = await groundctl.together(Array.from({ length: 6 }, () => ['sources', '--url', server.url]));
    expect(answers).toEqual([0, 0, 0, 0, 0, 0]);
    expect(readStored().tokens.refreshToken).not.toBe(refreshToken);
    expireAccess();
    expect(await at('sources')).toMatchObject({ code: 0 });
  });

  it('that was withdrawn says how to log in again', async () => {
    await login(['--workspace', server.workspaceId]);
    for (const { id } of (await server.api.listConsents({})).body.consents)
      await server.api.withdrawConsent({ params: { consentId: id } });
    const ended = { code: 1, err: expect.stringContaining(`has ended: it was revoked, or not used for 30 days. Run`) };
    expect(await at('sources')).toMatchObject(ended);
    expireAccess();
    expect(await at('sources')).toMatchObject(ended);
  });

  it.each([['token create ci'], ['token list'], ['plans diff plan_a plan_b']])(
    'says clearly that it may not do: %s',
    async (command) => {
      await login(['--workspace', server.workspaceId]);
      const { code, err } = await at(...command.split(' '));
      expect([code, err]).toEqual([1, expect.stringContaining('Use the dashboard')]);
    },
  );

  it('stays when it cannot be renewed because no server answers', async () => {
    await login(['--workspace', server.workspaceId]);
    expireAccess();
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
    const { code, err } = await at('sources').finally(() => vi.unstubAllGlobals());
    expect([code, err]).toEqual([1, expect.stringContaining('No server answers')]);
    expect(await at('sources')).toMatchObject({ code: 0 });
  });

  it('gives way to a token in the environment', async () => {
    await login(['--workspace', server.workspaceId]);
    vi.stubEnv('GROUNDCTL_TOKEN', 'svcpat_unknown');
    expect((await at('sources')).err).toContain('refused the token in GROUNDCTL_TOKEN');
  });
});

describe.skipIf(noKeyring)('a login in the keychain', () => {
  let keyring: Keyring;
  beforeAll(async () => {
    keyring = await startKeyring();
  }, 60_000);
  afterAll(() => keyring?.close());

  it(`is used from there, and is in no file${noKeyring ? ` (${noKeyring})` : ''}`, async () => {
    for (const [name, value] of Object.entries(keyring.env)) vi.stubEnv(name, value);
    const { code } = await loginTo(['--workspace', server.workspaceId], allow);
    expect([code, fs.readFileSync(loginFile(), 'utf8')]).toEqual([0, expect.not.stringContaining('svc')]);
    expect(await at('sources')).toMatchObject({ code: 0 });
    await keyring.lock();
    expect(await at('sources')).toMatchObject({ code: 1, err: expect.stringContaining('keychain is locked') });
    await keyring.unlock();
    const before = await countGrants();
    await login(['--workspace', server.workspaceId]);
    expect([await countGrants(), readStored().tokens.refreshToken]).toEqual([before, expect.any(String)]);
    expect(await at('sources')).toMatchObject({ code: 0 });
    await loginTo(['--workspace', server.workspaceId], allow);
    expect([await countGrants(), fs.readFileSync(loginFile(), 'utf8')]).toEqual([
      before,
      expect.not.stringContaining('svc'),
    ]);
    expect(await groundctl('logout')).toMatchObject({ code: 0, err: '' });
    expect((await at('sources')).err).toContain('You are not logged in');
  }, 60_000);
});

describe('logout', () => {
  it('ends the login at the server and here', async () => {
    await login(['--workspace', server.workspaceId]);
    const { accessToken } = readStored().tokens;
    expect(await groundctl('logout')).toMatchObject({ code: 0, err: '' });
    await expect(server.as(accessToken).listWorkspaces({})).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await at('sources')).err).toContain('You are not logged in');
    expect(await groundctl('logout', server.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not logged'),
    });
  });

  it('deletes it here when the server cannot be reached, and says so', async () => {
    await login(['--workspace', server.workspaceId]);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
    const { code, out, err } = await groundctl('logout', server.url, '--json').finally(() => vi.unstubAllGlobals());
    expect([code, JSON.parse(out)]).toEqual([0, { url: server.url, revoked: false }]);
    expect(err).toContain('the login was deleted on this machine only');
    expect((await groundctl('login', '--list')).out).toContain('not logged in anywhere');
  });
});
