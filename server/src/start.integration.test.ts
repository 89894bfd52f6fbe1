import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { entriesBelow } from '../test/data-files.ts';
import { tempDir, testKeyFile } from '../test/harness.ts';
import { type RunningServer, StartError, startServer } from './index.ts';
import { createLog } from './kernel/log.ts';
import { type Environment, type Flags, readSettings } from './kernel/settings.ts';

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

async function start(flags: Flags = {}, env: Environment = {}): Promise<RunningServer> {
  const settings = readSettings(
    { GROUNDCTL_TOOL_PATH: '/nowhere/tofu', GROUNDCTL_KEY_FILE: testKeyFile(dataDir), ...env },
    { dataDir, ...flags },
  );
  const server = await startServer({ settings, log: createLog('silent') });
  running.push(server);
  return server;
}
const inDir = (name: string) => path.join(dataDir, name);
const modeOf = (name: string) => (fs.statSync(inDir(name)).mode & 0o777).toString(8);
const portOf = ({ url }: RunningServer) => Number(new URL(url).port);

/** Takes a port of this machine for the time of the work. */
async function withTakenPort<T>(port: number, work: (port: number) => Promise<T>): Promise<T> {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  try {
    return await work((other.address() as net.AddressInfo).port);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
}

describe('a data folder', () => {
  test('has one server: a second start is refused in a sentence, and the first goes on', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(
      new StartError('Another server already uses this data folder. Stop it, or use its address in runtime.json.'),
    );
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    expect(fs.existsSync(inDir('runtime.json'))).toBe(true);
  });

  it('with a mistake in the clients of the issuer is refused with its place, and with an empty list is not', async () => {
    fs.writeFileSync(inDir('oidc-clients.json'), '[{"clientId":"a"}]');
    await expect(start()).rejects.toThrow(/^oidc-clients\.json has a mistake at \/0\//);
    fs.writeFileSync(inDir('oidc-clients.json'), ' []\n');
    await start();
  });

  it('without a tool starts no supervisor in advance', async () => {
    const { url } = await start();
    const { runner } = (await (await fetch(`${url}/api/v1/capabilities`)).json()) as { runner: object };
    expect(runner).toMatchObject({ available: false });
    expect(fs.existsSync(inDir('standby'))).toBe(false);
  });

  it('warns of unknown settings by name at its start', async () => {
    const lines: unknown[] = [];
    const log = createLog('silent');
    log.warn = (fields: unknown) => void lines.push(fields);
    const env = {
      GROUNDCTL_TOOL_PATH: '/nowhere/tofu',
      GROUNDCTL_KEY_FILE: testKeyFile(dataDir),
      GROUNDCTL_PROT: 'canary',
    };
    running.push(await startServer({ settings: readSettings(env, { dataDir }), log }));
    expect(lines).toContainEqual({ names: ['GROUNDCTL_PROT'] });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  test('is free again as soon as its server has ended, however often it is asked to stop', async () => {
    const first = await start();
    await Promise.all([first.close(), first.close()]);
    await first.close();
    await start();
  });

  test('holds nothing that another account of the machine can read', async () => {
    await start();
    for (const { file, stat } of entriesBelow(dataDir))
      expect([file, (stat.mode & 0o077).toString(8)]).toEqual([file, '0']);
    for (const name of ['runtime.json', 'operator-token', 'last-port', 'keys/master.key', 'ledger.db'])
      expect([name, modeOf(name)]).toEqual([name, '600']);
  });

  test('says in runtime.json who serves it, until the server ends', async () => {
    const server = await start();
    const said = JSON.parse(fs.readFileSync(inDir('runtime.json'), 'utf8'));
    expect(said).toEqual({
      pid: process.pid,
      url: server.url,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: expect.any(String),
    });
    await server.close();
    expect(fs.existsSync(inDir('runtime.json'))).toBe(false);
  });

  test('with a runtime.json left behind by a killed server is no obstacle', async () => {
    fs.writeFileSync(inDir('runtime.json'), '{"pid":1,"url":"http://127.0.0.1:1"}');
    const server = await start();
    expect(JSON.parse(fs.readFileSync(inDir('runtime.json'), 'utf8')).url).toBe(server.url);
  });

  test('keeps its operator token, its sessions and its cookie name over a restart', async () => {
    const first = await start();
    expect(first.operatorToken).toMatch(/^svcop_[\w-]{43}$/);
    expect(fs.readFileSync(inDir('operator-token'), 'utf8').trim()).toBe(first.operatorToken);
    const token = new URL(first.createSignInLink()).hash.slice(1);
    const signedIn = await fetch(`${first.url}/api/v1/auth/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    await first.close();
    const second = await start();
    expect(second.operatorToken).toBe(first.operatorToken);
    const me = await fetch(`${second.url}/api/v1/account/session/me`, { headers: { cookie } });
    expect(await me.json()).toHaveProperty('subject');
  });

  test('takes the operator token of a setting, and then writes none', async () => {
    const token = 'x'.repeat(32);
    const server = await start({}, { SVC_OPERATOR_TOKEN: token });
    expect([server.operatorToken, fs.existsSync(inDir('operator-token'))]).toEqual([token, false]);
  });

  test('with a damaged key is refused, and free again', async () => {
    fs.mkdirSync(inDir('keys'));
    fs.writeFileSync(inDir('keys/data.key'), 'short');
    await expect(start()).rejects.toThrow(/key file/);
    fs.rmSync(inDir('keys'), { recursive: true });
    await start();
  });
});

describe('the port', () => {
  test('is the one the data folder used last', async () => {
    const first = await start();
    await first.close();
    expect(portOf(await start())).toBe(portOf(first));
  });

  test('is another when the last one is taken while it starts', async () => {
    const first = await start();
    await first.close();
    await withTakenPort(portOf(first), async (taken) => {
      const second = await start();
      expect(portOf(second)).not.toBe(taken);
      expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
    });
  });

  test('that was asked for and is taken is refused in a sentence, and the data folder is free again', async () => {
    await withTakenPort(0, async (taken) => {
      await expect(start({ port: String(taken) })).rejects.toThrow(`Port ${taken} is taken.`);
      expect(fs.existsSync(inDir('runtime.json'))).toBe(false);
      await start();
    });
  });

  test('is bound on the loopback address only, IPv6 too', async () => {
    const server = await start({ host: '::1' });
    expect(server.url).toBe(`http://[::1]:${portOf(server)}`);
    expect((await fetch(`${server.url}/api/v1/capabilities`)).status).toBe(200);
  });
});
