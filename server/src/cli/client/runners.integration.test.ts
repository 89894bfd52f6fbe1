import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { joinPool } from '../../../test/runner-machines.ts';
import { systemClock } from '../../kernel/clock.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_NATS_URL: 'nats://127.0.0.1:1' } });
});
afterAll(() => server.close());

const call = (...args: string[]) => groundctl(...args, '--data-dir', server.dataDir);

describe('the commands of pools', () => {
  it('create, list and remove one by its name', async () => {
    expect((await call('runner-pools', 'create', 'Office network')).code).toBe(0);
    const listed = await call('runner-pools', 'list');
    expect(listed.out).toMatch(/^local +0 +0$/m);
    expect(listed.out).toMatch(/^Office network +pool_\w+ +0 +0 +0 of 0 live$/m);
    expect((await call('runner-pools', 'remove', 'Office network')).code).toBe(0);
    expect(await call('runner-pools', 'remove', 'Office network')).toMatchObject({ code: 2 });
  });

  it('rename a pool', async () => {
    await call('runner-pools', 'create', 'Old');
    expect(await call('runner-pools', 'rename', 'Old', 'New')).toMatchObject({
      code: 0,
      out: expect.stringContaining('called New'),
    });
    expect((await call('runner-pools', 'list')).out).toMatch(/^New +pool_/m);
    expect(await call('runner-pools', 'rename', 'Old', 'Other')).toMatchObject({ code: 2 });
    expect((await call('runner-pools', 'remove', 'New')).code).toBe(0);
  });

  it('allow pools to a Workspace, and withdraw those that are left out', async () => {
    for (const name of ['A', 'B']) await call('runner-pools', 'create', name);
    const allow = (...args: string[]) => call('runner-pools', 'allow', '--workspace', server.workspaceId, ...args);
    expect((await allow('--pool', 'B', '--pool', 'A', '--default')).out).toBe('local\nA\nB (default)\n');
    expect((await allow('--pool', 'A')).out).toBe('local (default)\nA\n');
    expect(await call('runner-pools', 'remove', 'A')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Workspaces'),
    });
    expect(await allow('--default')).toMatchObject({ code: 2 });
    expect((await allow()).out).toBe('local (default)\n');
  });
});

describe('the commands of machines', () => {
  it('write an enrolment to a private file, which lets one machine join', async () => {
    await call('runner-pools', 'create', 'Site');
    const file = path.join(server.dataDir, 'site.enrol');
    const enrol = () => call('runners', 'enrol', '--pool', 'Site', '--out', file);
    const { code, out } = await enrol();
    const text = fs.readFileSync(file, 'utf8').trim();
    expect([code, fs.statSync(file).mode & 0o777, out.includes(text)]).toEqual([0, 0o600, false]);
    expect(await enrol()).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
    const id = server.ledger((db) => joinPool(db, text, systemClock));
    expect((await call('runners', 'list', '--pool', 'Site')).out).toMatch(
      new RegExp(`^${id} +builder +Site +active +\\S+ \\S+ +0.1.0 +tofu 1.12.6 +0 of 2$`, 'm'),
    );
    for (const event of ['drain', 'resume', 'revoke'])
      expect((await call('runners', event, id)).out).toContain('builder');
    expect((await call('runners', 'drain', id)).code).toBe(1);
  });

  it('list the enrolments that are open, and cancel one', async () => {
    await call('runner-pools', 'create', 'Lab');
    await call('runners', 'enrol', '--pool', 'Lab', '--out', path.join(server.dataDir, 'lab.enrol'));
    const list = async () => (await call('runners', 'enrolments', '--pool', 'Lab')).out;
    const [id = ''] = /enr_\w+/.exec(await list()) ?? [];
    expect(await call('runners', 'cancel', id)).toMatchObject({ code: 0, out: expect.stringContaining('cancelled') });
    expect(await list()).not.toContain('enr_');
    expect(await call('runners', 'enrolments')).toMatchObject({ code: 2 });
    expect(await call('runners', 'cancel', 'enr_0')).toMatchObject({ code: 1 });
  });
});

describe('the configuration of NATS', () => {
  const config = (...args: string[]) => call('nats', 'config', '--folder', '/var/lib/nats', ...args);
  const routes = ['--routes', 'a.internal:6222,b.internal:6222'];
  const certificate = ['--certificate', '/etc/nats/cert.pem', '--key', '/etc/nats/key.pem'];

  it('is that of one server, or of a member of a cluster whose routes are encrypted and authorized', async () => {
    expect((await config()).out).not.toContain('cluster');
    const { code, out } = await config(
      ...certificate,
      '--authority',
      '/etc/nats/ca.pem',
      '--name',
      'nats-1',
      ...routes,
    );
    expect(code).toBe(0);
    expect(out).toContain("server_name: 'nats-1'");
    expect(out).toContain("listen: '127.0.0.1:6222'");
    expect(out).toContain("routes: ['nats-route://a.internal:6222', 'nats-route://b.internal:6222']");
    expect(out).toContain("ca_file: '/etc/nats/ca.pem', verify: true");
  });

  it.each([
    [['--name', 'nats-1'], 2, '--name and --routes'],
    [['--cluster-port', '6223'], 2, '--name and --routes'],
    [['--name', 'nats-1', ...routes, ...certificate], 2, 'the authority of the members'],
    [['--name', 'nats-1', ...routes, '--authority', '/etc/nats/ca.pem'], 2, 'the authority of the members'],
    [['--name', 'nats 1', ...routes], 2, 'has a name'],
    [['--name', 'nats-1', '--routes', 'a.internal'], 2, 'an address and routes'],
  ])('is refused with %j', async (args, code, sentence) => {
    expect(await config(...args)).toMatchObject({ code, err: expect.stringContaining(sentence) });
  });
});

it.each([
  ['tls://a.internal,nats://b.internal', 'must not mix'],
  ['a.internal:4222', '--connect must be nats://HOST or tls://HOST'],
])('a machine is not connected to %s', async (addresses, sentence) => {
  const dataDir = path.join(server.dataDir, 'machine');
  const refused = await groundctl('runner', '--data-dir', dataDir, '--connect', addresses);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
  expect(fs.existsSync(dataDir)).toBe(false);
});

it.each([
  ['does not exist', () => path.join(server.dataDir, 'none.pem'), '--authority must name a file of at most 2 MiB'],
  ['has no certificate', () => path.join(server.dataDir, 'runtime.json'), '--authority must name a PEM file'],
])('a machine does not accept an authority whose file %s', async (_, file, sentence) => {
  const dataDir = path.join(server.dataDir, 'machine');
  const refused = await groundctl('runner', '--data-dir', dataDir, '--authority', file());
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
  expect(fs.existsSync(dataDir)).toBe(false);
});
