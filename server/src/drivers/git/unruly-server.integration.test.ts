import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTestRepository,
  type GitFixture,
  goodCredential,
  startGitFixture,
} from '../../../../e2e/fixtures/git-server.ts';
import { startConnectProxy } from '../../../test/connect-proxy.ts';
import { startGit } from '../../../test/git-driver.ts';
import { type Git, GitError, type GitSyncRequest } from './index.ts';

let tempRoot: string;
let server: GitFixture;
let elsewhere: GitFixture;
let secure: GitFixture;
let git: Git;
let commit: string;

beforeAll(async () => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-unruly-'));
  const root = path.join(tempRoot, 'served');
  commit = createTestRepository(path.join(root, 'modules')).commit({ 'main.tf': 'one' });
  elsewhere = await startGitFixture({ root });
  const awayTo = `${elsewhere.url}/plain`;
  server = await startGitFixture({ root, awayTo });
  const pair = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  fs.writeFileSync(path.join(tempRoot, 'ca.pem'), pair.cert);
  secure = await startGitFixture({ root, tls: { key: pair.private, cert: pair.cert }, awayTo });
  git = startGit({ allowLoopback: true, allowLocal: false });
});
afterAll(async () => {
  await git.close();
  await Promise.all([server.close(), elsewhere.close(), secure.close()]);
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

let folders = 0;
const at = (mode: string, name = 'modules') => `${server.url}/${mode}/${name}`;
const sync = (request: Partial<GitSyncRequest>, using = git) => {
  folders += 1;
  const options = {
    repositoryDir: path.join(tempRoot, `kept-${folders}`),
    archivesDir: path.join(tempRoot, 'archives'),
  };
  return using.sync({ url: at('plain'), ref: 'main', path: '.', ...request }, options);
};
const failure = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => 'succeeded',
    (reason: unknown) => reason,
  );
  return error instanceof GitError ? error.code : `not a GitError: ${error}`;
};

describe('a faulty server', () => {
  it('is reported by a distinct code', async () => {
    const codes = {
      [at('html')]: 'source_not_git',
      [at('login')]: 'source_not_git',
      [at('plain', 'nope')]: 'source_not_git',
      [at('unknown')]: 'source_not_git',
      [at('forbidden')]: 'source_auth_failed',
      [at('private')]: 'source_auth_failed',
      [at('busy')]: 'source_unreachable',
      [at('loop')]: 'source_fetch_refused',
      [at('post-moved')]: 'source_fetch_refused',
      'http://127.0.0.1:1/r': 'source_unreachable',
      'https://no-such-host.invalid/r': 'source_unreachable',
      [`${secure.url}/plain/modules`]: 'source_tls_failed',
      [`${server.url.replace('http:', 'https:')}/plain/modules`]: 'source_tls_failed',
      'https://169.254.169.254/r': 'source_fetch_refused',
      'http://example.com/r': 'source_fetch_refused',
      'file:///srv/r': 'source_fetch_refused',
      'ssh://git@example.com/r': 'source_fetch_refused',
    };
    for (const [url, code] of Object.entries(codes)) expect(await failure(sync({ url })), url).toBe(code);
  });

  it('receives the credential of the connection, which its error never shows', async () => {
    expect((await sync({ url: at('private'), credential: goodCredential })).resolvedCommit).toBe(commit);
    const wrong = sync({ url: at('private'), credential: { username: 'user', password: 'wrong-battery' } });
    await expect(wrong).rejects.toThrow(expect.objectContaining({ code: 'source_auth_failed' }));
    await expect(wrong).rejects.not.toThrow(/battery/);
  });

  it('may redirect, but another origin receives no credential', async () => {
    expect((await sync({ url: at('moved'), credential: goodCredential })).resolvedCommit).toBe(commit);
    elsewhere.seen.length = 0;
    expect((await sync({ url: at('away'), credential: goodCredential })).resolvedCommit).toBe(commit);
    expect(elsewhere.seen.length).toBeGreaterThan(1);
    expect(elsewhere.seen.every((seen) => seen.authorization === undefined)).toBe(true);
  });

  it('is trusted over TLS with the CA of the settings, and never redirects from https to http', async () => {
    const trusting = startGit({ allowLoopback: true, allowLocal: false, caFile: path.join(tempRoot, 'ca.pem') });
    try {
      expect((await sync({ url: `${secure.url}/plain/modules` }, trusting)).resolvedCommit).toBe(commit);
      expect(await failure(sync({ url: `${secure.url}/away/modules` }, trusting))).toBe('source_fetch_refused');
    } finally {
      await trusting.close();
    }
  });

  it('is not trusted with an expired certificate, one of another host, or an unreadable CA file', async () => {
    const trusting = (caFile: string) => startGit({ allowLoopback: true, allowLocal: false, caFile });
    const outcomeOf = async (caFile: string, url: string) => {
      const one = trusting(caFile);
      return failure(sync({ url: `${url}/plain/modules` }, one)).finally(() => one.close());
    };
    const past = { notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2020-02-01') };
    const away = { extensions: [{ name: 'subjectAltName' as const, altNames: [{ type: 2, value: 'other.example' }] }] };
    for (const [name, options] of Object.entries({ past, away })) {
      const pair = await generate([{ name: 'commonName', value: '127.0.0.1' }], options as never);
      const caFile = path.join(tempRoot, `${name}.pem`);
      fs.writeFileSync(caFile, pair.cert);
      const other = await startGitFixture({
        root: path.join(tempRoot, 'served'),
        tls: { key: pair.private, cert: pair.cert },
      });
      expect(await outcomeOf(caFile, other.url), name).toBe('source_tls_failed');
      await other.close();
    }
    const garbage = path.join(tempRoot, 'garbage.pem');
    fs.writeFileSync(garbage, '-----BEGIN CERTIFICATE-----\nnot one\n-----END CERTIFICATE-----\n');
    expect(await outcomeOf(garbage, secure.url)).toBe('source_tls_failed');
    expect(await outcomeOf(path.join(tempRoot, 'missing.pem'), secure.url)).toBe('source_tls_failed');
  });

  it('cannot be reached through a proxy that refuses or does not exist, and no proxy sees the token', async () => {
    const seen: string[] = [];
    const refusing = net.createServer((client) => {
      client.on('error', () => undefined);
      client.once('data', (head) => {
        seen.push(head.toString('latin1'));
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const port = (refusing.address() as net.AddressInfo).port;
    for (const proxy of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
      const proxied = startGit({ allowLoopback: true, allowLocal: false, httpsProxy: proxy });
      const request = { url: `${secure.url}/private/modules`, credential: goodCredential };
      expect(await failure(sync(request, proxied)), proxy).toBe('source_unreachable');
      await proxied.close();
    }
    refusing.close();
    const pair = Buffer.from(`${goodCredential.username}:${goodCredential.password}`).toString('base64');
    expect(seen).toHaveLength(1);
    expect(seen.join('')).not.toContain(pair);
  });

  it('is reached through the HTTPS proxy of the settings', async () => {
    const proxy = await startConnectProxy();
    const proxied = startGit({
      allowLoopback: true,
      allowLocal: false,
      caFile: path.join(tempRoot, 'ca.pem'),
      httpsProxy: proxy.url,
    });
    try {
      expect((await sync({ url: `${secure.url}/plain/modules` }, proxied)).resolvedCommit).toBe(commit);
      expect(proxy.seen).toContain(`CONNECT ${new URL(secure.url).host} HTTP/1.1`);
    } finally {
      await proxied.close();
      proxy.close();
    }
  });

  it('is not connected to on loopback when that is disabled, for any host name', async () => {
    const strict = startGit({ allowLoopback: false, allowLocal: false });
    try {
      expect(await failure(sync({}, strict))).toBe('source_fetch_refused');
      expect(await failure(sync({ url: `https://${os.hostname()}.localhost/r` }, strict))).toBe('source_fetch_refused');
    } finally {
      await strict.close();
    }
  });
});
