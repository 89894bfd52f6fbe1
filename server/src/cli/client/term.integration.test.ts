import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SupersededError } from '#server/kernel/start-error';
import { groundctl } from '../../../test/command-line.ts';
import { freePort } from '../../../test/free-port.ts';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';
import { hasNatsServer, type NatsServer, startNatsServer } from '../../../test/nats-server.ts';
import { markRestored } from '../../../test/restored-fixture.ts';

describe.skipIf(!hasNatsServer)('a server with a term in NATS', () => {
  const env: { [name: string]: string } = {};
  let nats: NatsServer;
  let server: TestServer;
  let configuration: string;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    env['GROUNDCTL_NATS_URL'] = `nats://127.0.0.1:${port}`;
    server = await startTestServer({ env });
    const query = { listen: `127.0.0.1:${port}`, folder: '/nats-data' };
    ({ configuration } = (await operator().readNatsConfigurationAsOperator({ query })).body);
    await startNats();
    env['GROUNDCTL_FENCE_URL'] = 'nats';
    await server.restart();
  });
  afterAll(async () => {
    await server?.close();
    await nats?.close();
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Starts NATS for this installation, with an empty store. */
  async function startNats(): Promise<void> {
    nats = await startNatsServer(({ dataDir }) => configuration.replaceAll('/nats-data', dataDir), { port });
  }
  async function loseStore(): Promise<void> {
    await nats.close();
    await startNats();
  }
  const operator = () => server.as(server.operatorToken);
  const here = () => ['--data-dir', server.dataDir];
  const bearer = () => ({ authorization: `Bearer ${server.operatorToken}` });
  const statusOf = async () => (await operator().getFence({})).body.fence.status;
  const isStatus = (status: string) =>
    vi.waitFor(async () => expect(await statusOf()).toBe(status), { timeout: 20_000, interval: 100 });
  const heldMetric = async () =>
    /^groundctl_fence_held (\d)$/m.exec((await server.raw({ path: '/metrics', headers: bearer() })).text)?.[1];
  const fenceCheck = async () => {
    const { json } = await server.request('GET', '/readyz', undefined, bearer());
    return (json as { checks: { name: string }[] }).checks.find(({ name }) => name === 'fence');
  };
  /** Makes the next start that of another server with this ledger. */
  const nameServer = (digit: string) =>
    fs.writeFileSync(path.join(server.dataDir, 'server-id'), `srv_${digit.repeat(32)}\n`);
  const termFile = () => fs.readFileSync(path.join(server.dataDir, 'litestream.env'), 'utf8');

  it('says in the words of NATS that it may write, and is ready', async () => {
    await isStatus('held');
    const shown = await groundctl('fence', 'show', ...here());
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/^NATS names this server .*\nterm {4}/) });
    expect([await heldMetric(), await fenceCheck()]).toEqual(['1', undefined]);
  });

  it('takes the next term when NATS has lost its store, and says that Litestream has to follow', async () => {
    await loseStore();
    await isStatus('unknown');
    const shown = await groundctl('fence', 'show', ...here());
    expect(shown).toMatchObject({ code: 1, out: expect.stringContaining('NATS has lost its store') });
    expect(shown.out).not.toContain('bucket');
    const taken = await groundctl('fence', 'take', ...here());
    const hint = 'Let Litestream copy to the location of this term now: systemctl restart groundctl-litestream';
    expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(`term 2\\).*\\n${hint}`), err: '' });
    expect(termFile()).toBe('GROUNDCTL_TERM=2\n');
  });

  it('is not ready while NATS is away, changes nothing, and answers its operator', async () => {
    await nats.kill();
    await isStatus('unknown');
    await server.restart();
    const note = expect.stringContaining('no recent confirmation');
    expect([await heldMetric(), await fenceCheck()]).toEqual(['0', { name: 'fence', ok: false, note }]);
    const body = { displayName: 'Another name' };
    expect(await server.request('PATCH', `/api/v1/workspaces/${server.workspaceId}`, body)).toMatchObject({
      status: 503,
      json: { error: { code: 'ledger_read_only', details: { reason: 'fence_unconfirmed' } } },
    });
    expect(await groundctl('fence', 'show', ...here())).toMatchObject({ code: 1, err: '' });
    expect(await groundctl('runners', 'list', ...here())).toMatchObject({ code: 0, err: '' });
    await nats.start();
    await isStatus('held');
  });

  it('does not start after another server took the next term, with the exit code of a person to wait for', async () => {
    nameServer('0');
    await expect(server.restart()).rejects.toThrow(SupersededError);
    for (const [name, value] of Object.entries({ ...env, GROUNDCTL_KEY_FILE: testKeyFile(server.dataDir) }))
      vi.stubEnv(name, value);
    const started = await groundctl('serve', ...here(), '--port', '0');
    expect(started).toMatchObject({ code: 3, out: '', err: expect.stringContaining('was promoted') });
  });

  it('goes on from a restored copy on another machine when NATS has lost its store too', async () => {
    await loseStore();
    nameServer('1');
    markRestored(server);
    await server.restart();
    expect(await statusOf()).toBe('unknown');
    expect(await groundctl('fence', 'take', ...here())).toMatchObject({ code: 0, err: '' });
    expect([termFile(), await heldMetric()]).toEqual(['GROUNDCTL_TERM=3\n', '1']);
    expect(await groundctl('installation', 'resume', ...here())).toMatchObject({ code: 0 });
  });
});
