import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { heldClock, startTestServer, type TestClient, type TestServer, testKeyFile } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { type MailServer, startMailServer } from '../../../test/mail-server.ts';
import { setUpOwner } from '../../../test/people.ts';
import { restartRestored } from '../../../test/restored-fixture.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';

const hour = 3_600_000;
const clock = heldClock(Date.now());
let server: TestServer;
let receiver: WebhookReceiver;
let mail: MailServer;
let api: TestClient;
let source: { id: string; secret: string };

const count = (query: string) => server.ledger(({ sqlite }) => sqlite.prepare(query).pluck().get()) as number;
const countSyncs = () => count("SELECT count(*) FROM runs WHERE type = 'source_sync'");
const countUnsent = () => [
  count("SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'"),
  count('SELECT count(*) FROM waiting_mails'),
];
const callHook = () =>
  server.raw({
    method: 'POST',
    path: `/hooks/sources/${source.id}`,
    headers: { authorization: `Bearer ${source.secret}` },
    body: '{}',
  });
const operate = (command: string) => groundctl('installation', command, '--data-dir', server.dataDir);

/** A plan of the owner that a person cancels, which is an event of webhooks and mail. */
async function cancelPlan(): Promise<void> {
  const capsule = await seedCapsule(server, { sourceId: source.id });
  const plan = seedPlan(server, capsule, { moves: ['claim', 'requestApproval'] });
  await api.cancelRun({ params: { runId: plan.id }, body: {} });
}

beforeAll(async () => {
  [receiver, mail] = await Promise.all([startWebhookReceiver(), startMailServer()]);
  const env = {
    GROUNDCTL_WEBHOOK_HOSTS: 'localhost',
    GROUNDCTL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    GROUNDCTL_SMTP_FROM: 'ground@example.com',
  };
  server = await startTestServer({ clock, env });
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
  await setUpOwner(server);
  api = server.api;
  const params = { workspaceId: server.workspaceId };
  const events = ['run.cancelled' as const];
  await api.createWebhook({ params, body: { name: 'Operations', url: receiver.url, events } });
  const body = { ...params, name: 'Modules', url: 'https://example.invalid/modules', autoSync: true };
  const created = (await api.createSource({ body })).body;
  source = { id: created.source.id, secret: created.hookSecret ?? '' };
  // A delivery and a mail that had not left at the moment of the backup.
  server.ledger(({ sqlite }) => {
    sqlite
      .prepare("INSERT INTO waiting_mails (id, kind, created_at, due_at) VALUES ('mail_1', 'password_reset', 1, ?)")
      .run(clock.now() + 24 * hour);
    sqlite.prepare('UPDATE sources SET polled_at = ?').run(clock.now() - 100 * hour);
  });
  seedRun(server, { type: 'source_sync', sourceId: source.id });
  api = await restartRestored(server);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await Promise.all([receiver.close(), mail.close()]);
});

describe('a paused installation', () => {
  it('sends nothing that waited, and nothing about what happens now', async () => {
    expect(countUnsent()).toEqual([0, 0]);
    await cancelPlan();
    expect(countUnsent()).toEqual([0, 0]);
    expect(count("SELECT count(*) FROM webhook_deliveries WHERE event = 'run.cancelled'")).toBe(0);
  });

  it('refuses the hooks of Git hosts with the reason, after their secret', async () => {
    const syncs = countSyncs();
    const refused = await callHook();
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({
      error: { code: 'feature_unavailable', details: { reason: 'installation_paused' } },
    });
    const wrong = await server.raw({ method: 'POST', path: `/hooks/sources/${source.id}`, body: '{}' });
    expect(wrong.status).toBe(401);
    expect(countSyncs()).toBe(syncs);
  });

  it('starts no sync that is long due, but one that a person requests', async () => {
    const syncs = countSyncs();
    await api.updateSource({ params: { sourceId: source.id }, body: { name: 'Modules again' } });
    expect(countSyncs()).toBe(syncs);
    const { id: runId } = (await api.syncSource({ params: { sourceId: source.id }, body: {} })).body.run;
    expect(countSyncs()).toBe(syncs + 1);
    await vi.waitFor(async () => expect((await api.getRun({ params: { runId } })).body.run.status).toBe('failed'), {
      timeout: 30_000,
    });
  });

  it('is reported to everyone: bootstrap, readiness, doctor and the command line', async () => {
    const { pause } = (await api.getBootstrap({ query: {} })).body;
    expect(pause).toMatchObject({ backupCreatedAt: '2030-01-01T00:00:00.000Z' });
    const { json } = await server.raw({ path: '/readyz' });
    expect(json).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'paused', ok: true })]),
    });
    expect((await groundctl('doctor', '--data-dir', server.dataDir)).out).toContain(
      'restored from a backup and is paused',
    );
    expect(await operate('status')).toMatchObject({ code: 3, out: expect.stringContaining('It is paused.') });
  });

  it('lists every member and Connection for the local owner, in pages, and for no one else', async () => {
    await server.join('admin');
    const first = (await api.listReviewedMembers({ query: { limit: '1' } })).body;
    const next = (await api.listReviewedMembers({ query: { limit: '1', cursor: first.nextCursor } })).body;
    expect([first.members.length, next.members.length, next.nextCursor]).toEqual([1, 1, undefined]);
    expect(first.members[0]).toMatchObject({ workspaceId: server.workspaceId, role: 'owner', status: 'active' });
    const { api: other } = await server.join('owner');
    await expect(other.getInstallation({})).rejects.toMatchObject({ status: 403 });
    await expect(other.resumeInstallation({})).rejects.toMatchObject({ status: 403 });
  });

  it('stays paused after a restart', async () => {
    await server.restart();
    expect((await api.getInstallation({})).body.installation).toMatchObject({ paused: true });
  });

  it('starts everything again without a restart when a person ends the pause, once', async () => {
    const syncs = countSyncs();
    expect(await operate('resume')).toMatchObject({ code: 0 });
    expect(await operate('resume')).toMatchObject({ code: 0 });
    const { installation } = (await api.getInstallation({})).body;
    expect(installation).toMatchObject({ paused: false, off: [], resumedBy: 'operator' });
    const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'installation.resumed' } }))
      .body;
    expect(events).toHaveLength(1);
    // One Source that was due a hundred times is synced once.
    expect(countSyncs()).toBe(syncs + 1);
    await cancelPlan();
    const [delivery] = await receiver.atLeast(1);
    expect(delivery?.json).toMatchObject({ type: 'run.cancelled' });
    expect((await callHook()).status).toBe(202);
    expect(await operate('status')).toMatchObject({ code: 0 });
  });
});

describe('an installation that was never restored', () => {
  it('has no pause to end', async () => {
    const fresh = await startTestServer();
    await expect(fresh.api.resumeInstallation({})).rejects.toMatchObject({
      details: { reason: 'installation_not_restored' },
    });
    await fresh.close();
  });
});
