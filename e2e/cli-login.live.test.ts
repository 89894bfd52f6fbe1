import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAppBrowser } from '../server/test/issuer/browser.ts';
import { signInLink } from './fixtures/browser.ts';
import { type Ended, groundctl, startGroundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';

const module =
  'resource "terraform_data" "one" {\n  input = "Ada"\n}\noutput "name" {\n  value = terraform_data.one.output\n}\n';

let harness: Harness;
let home: string;
let repository: string;
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'groundctl-login-'));
  harness = await startHarness({ providers: true });
  repository = harness.repository('one', { 'main.tf': module }).url;
});
afterAll(async () => {
  await harness?.stop();
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ HOME: home, XDG_CONFIG_HOME: home, GROUNDCTL_URL: harness.server.url });
const run = (...argv: string[]): Promise<Ended> => groundctl(argv, { env: env() });

/** Signs in at the server with a one-time link, and returns the cookie of the session. */
async function cookieOf(): Promise<string> {
  const token = new URL(await signInLink(harness.server)).hash.slice(1);
  const answer = await fetch(`${harness.server.url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** Lets the stored access token look expired, so that the next command renews it. */
function expireAccess(): void {
  const folder = path.join(home, 'groundctl', 'logins');
  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    writeFileSync(path.join(folder, name), text.replace(/"accessExpiresAt":\d+/, '"accessExpiresAt":0'));
  }
}

async function login(): Promise<Ended> {
  const started = startGroundctl(['login', harness.server.url, '--insecure-storage'], { env: env() });
  let address: string | undefined;
  await started.until((text) => {
    address = /Sign in here: (\S+)\n/.exec(text)?.[1];
    return address !== undefined;
  });
  const page = await createAppBrowser(harness.server.url, await cookieOf()).authorize(address ?? '');
  expect(page).toContain('groundctl is signed in');
  return started.ended;
}

describe('a login', () => {
  it('installs a module without showing its values, and ends', async () => {
    expect(await login()).toMatchObject({ code: 0 });
    const waiting = await run('install', repository, '--name', 'reviewed');
    expect([waiting.code, waiting.err]).toEqual([3, expect.stringContaining('A login shows no values of plans')]);
    expect(waiting.out).toMatch(/ {2}\+ terraform_data\.one\n\nPlan: 1 to add, 0 to change, 0 to destroy\n/);
    const applied = await run('install', repository, '--name', 'applied', '--auto-approve');
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('name = Ada')]);
    expect(await run('logout')).toMatchObject({ code: 0, err: '' });
    expect(await run('capsules')).toMatchObject({ code: 2, err: expect.stringContaining('You are not logged in') });
  });

  it('is renewed once by processes that run at the same time', async () => {
    expect(await login()).toMatchObject({ code: 0 });
    expireAccess();
    const ended = await Promise.all(Array.from({ length: 3 }, () => run('capsules')));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    // A refresh token that two of them had used would have ended the login.
    expireAccess();
    expect(await run('capsules')).toMatchObject({ code: 0 });
  });

  it('ends on Ctrl-C while it waits for the browser', async () => {
    const started = startGroundctl(['login', harness.server.url, '--insecure-storage'], { env: env() });
    await started.until((text) => text.includes('Sign in here: '));
    started.child.kill('SIGINT');
    expect(await started.ended).toMatchObject({ code: 130, err: expect.stringContaining('You are not logged in') });
  });
});
