import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import type { WebhookDelivery } from '#shared/webhooks/contract';
import { heldClock, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { logLine, seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';
import {
  answerStatus,
  hang,
  isSigned,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../test/webhook-receiver.ts';

const clock = heldClock(Date.now());
const backupFolder = tempDir();
let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await startTestServer({
    clock,
    env: { GROUNDCTL_WEBHOOK_HOSTS: 'localhost', GROUNDCTL_PUBLIC_URL: '', GROUNDCTL_BACKUP_FOLDERS: backupFolder },
  });
});
afterAll(async () => {
  await server.close();
  removeTree(backupFolder);
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  return async () => {
    const params = { workspaceId: server.workspaceId };
    for (const { id: webhookId } of (await server.api.listWebhooks({ params })).body.webhooks)
      await server.api.deleteWebhook({ params: { ...params, webhookId } });
    await receiver.close();
  };
});

const create = async (more: object = {}) => {
  const params = { workspaceId: server.workspaceId };
  const body = { name: 'Operations', url: receiver.url, events: ['run.cancelled' as const], ...more };
  return (await server.api.createWebhook({ params, body })).body;
};

/** Resolves with the log of a webhook, newest first, once it meets a condition; it is read again when the server reports a change. */
async function logWhen(webhookId: string, isMet: (log: readonly WebhookDelivery[]) => boolean) {
  const params = { workspaceId: server.workspaceId, webhookId };
  const changes = await server.events(`/api/v1/workspaces/${server.workspaceId}/events`);
  try {
    for (;;) {
      const { deliveries } = (await server.api.listWebhookDeliveries({ params })).body;
      if (isMet(deliveries)) return deliveries;
      await changes.more();
    }
  } finally {
    changes.close();
  }
}
const isFinished = (log: readonly WebhookDelivery[]) =>
  log.length > 0 && log.every(({ status }) => status !== 'pending');

/** Cancels a plan that waits, which is an event; returns its Run. */
async function cancelPlan(more: object = {}) {
  const capsule = await seedCapsule(server);
  const plan = seedPlan(server, capsule, { moves: ['claim', 'requestApproval'], ...more });
  await server.api.cancelRun({ params: { runId: plan.id }, body: {} });
  return plan;
}
const pathOf = ({ id }: { id: string }) => ({ workspaceId: server.workspaceId, webhookId: id });
/** Attempts so far, with their results, of the newest delivery. */
const attemptsOf = ([newest]: readonly WebhookDelivery[]) => newest?.attempts ?? [];

describe('a webhook', () => {
  it('receives a signed delivery of an event, which its log shows', async () => {
    const { webhook, signingSecret = '' } = await create();
    const plan = await cancelPlan();
    const [delivery] = await receiver.atLeast(1);
    expect(delivery?.json).toMatchObject({
      type: 'run.cancelled',
      data: { capsule: { id: plan.capsuleId }, run: { id: plan.id, type: 'plan', status: 'cancelled' } },
    });
    expect(delivery && isSigned(delivery, signingSecret)).toBe(true);
    expect(await logWhen(webhook.id, isFinished)).toMatchObject([
      {
        id: delivery?.id,
        event: 'run.cancelled',
        status: 'delivered',
        runId: plan.id,
        attempts: [{ statusCode: 204, durationMs: expect.any(Number) }],
      },
    ]);
  });

  it('receives only events that were chosen, while it is enabled', async () => {
    const { webhook } = await create({ events: ['run.failed'] });
    await cancelPlan();
    const params = pathOf(webhook);
    await server.api.updateWebhook({ params, body: { events: ['run.cancelled'], enabled: false } });
    await cancelPlan();
    expect((await server.api.listWebhookDeliveries({ params })).body.deliveries).toEqual([]);
    await server.api.updateWebhook({ params, body: { enabled: true } });
    await cancelPlan();
    expect(await receiver.atLeast(1)).toHaveLength(1);
  });

  it('never shows its address, and shows its secret once, also to a repeated request', async () => {
    const params = { workspaceId: server.workspaceId };
    const body = { name: 'Secretive', url: receiver.url, events: ['run.failed' as const] };
    const key = { 'idempotency-key': 'once' };
    const first = (await server.api.createWebhook({ params, body }, key)).body;
    expect(first.signingSecret).toMatch(/^whsec_/);
    const again = (await server.api.createWebhook({ params, body }, key)).body;
    expect(again).toEqual({ webhook: first.webhook });
    const answers = [
      first.webhook,
      (await server.api.listWebhooks({ params })).body,
      (await server.api.updateWebhook({ params: pathOf(first.webhook), body: { name: 'Renamed' } })).body,
      (await server.api.listActivity({ params })).body,
    ];
    expect(JSON.stringify(answers)).not.toContain('very-secret-path');
    server.ledger((db) => db.emptyLog());
    const ledger = fs.readFileSync(path.join(server.dataDir, 'ledger.db'));
    expect([ledger.includes('very-secret-path'), ledger.includes(first.signingSecret ?? '')]).toEqual([false, false]);
  });

  it('is signed with both secrets for a day after a rotation, and then with the new one', async () => {
    const { webhook, signingSecret: old = '' } = await create();
    const params = pathOf(webhook);
    const { signingSecret: fresh = '', webhook: rotated } = (await server.api.rotateWebhookSecret({ params })).body;
    expect(rotated.previousSecretUntil).toBeDefined();
    await server.api.testWebhook({ params });
    const [during] = await receiver.atLeast(1);
    await logWhen(webhook.id, isFinished);
    expect(during && [isSigned(during, old), isSigned(during, fresh)]).toEqual([true, true]);
    clock.advance(25 * 3_600_000);
    await server.api.testWebhook({ params });
    const [, after] = await receiver.atLeast(2);
    expect(after && [isSigned(after, old), isSigned(after, fresh)]).toEqual([false, true]);
    expect((await server.api.getWebhook({ params })).body.webhook.previousSecretUntil).toBeUndefined();
  });

  it('is refused with a reason that does not quote the address', async () => {
    const refusalOf = async (url: string) => {
      const body = { name: 'x', url, events: ['run.failed'] };
      const answer = await server.request('POST', `/api/v1/workspaces/${server.workspaceId}/webhooks`, body);
      expect(answer.text).not.toContain('quoted');
      return (answer.json as { error: { details: object } }).error.details;
    };
    const wrong = { reason: 'webhook_url_invalid', field: '/url' };
    expect(await refusalOf('http://hooks.example.com/quoted')).toEqual(wrong);
    expect(await refusalOf('https://user:quoted@hooks.example.com/')).toEqual(wrong);
    expect(await refusalOf('quoted')).toEqual(wrong);
    expect(await refusalOf('https://192.168.0.1/quoted')).toEqual({
      reason: 'webhook_address_not_allowed',
      field: '/url',
    });
  });

  it('of another Workspace is not found', async () => {
    const { webhook } = await create();
    const other = (await server.api.createWorkspace({ body: { handle: 'another-one' } })).body.workspace.id;
    const path = `/api/v1/workspaces/${other}/webhooks/${webhook.id}`;
    const statuses = [];
    for (const [method, address] of [
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate-secret`],
      ['GET', `${path}/deliveries`],
    ] as const)
      statuses.push((await server.request(method, address, method === 'PATCH' ? { name: 'x' } : undefined)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it('is the tenth of a Workspace at most, and is deleted with its log', async () => {
    const params = { workspaceId: server.workspaceId };
    const { webhook } = await create();
    await server.api.testWebhook({ params: pathOf(webhook) });
    await receiver.atLeast(1);
    while ((await server.api.listWebhooks({ params })).body.webhooks.length < 10) await create();
    await expect(create()).rejects.toMatchObject({ status: 409, details: { reason: 'webhook_limit_reached' } });
    await server.api.deleteWebhook({ params: pathOf(webhook) });
    expect(
      server.ledger((db) =>
        db.sqlite.prepare('SELECT count(*) AS n FROM webhook_deliveries WHERE webhook_id = ?').get(webhook.id),
      ),
    ).toEqual({ n: 0 });
  });
});

describe('a delivery that fails', () => {
  it('is attempted for a day under one id, and then disables its webhook, which the others report', async () => {
    const { webhook } = await create();
    const watcher = await startWebhookReceiver();
    const { webhook: other } = await create({ url: watcher.url, events: ['webhook.disabled'] });
    receiver.answer(answerStatus(500));
    await cancelPlan();
    const started = clock.now();
    for (let count = 1; count < 10; count += 1) {
      const log = await logWhen(webhook.id, (rows) => attemptsOf(rows).length === count);
      expect(log).toMatchObject([{ status: 'pending', nextAttemptAt: expect.any(String) }]);
      clock.advance(Date.parse(log[0]?.nextAttemptAt ?? '') - clock.now());
      await server.api.updateWebhook({ params: pathOf(webhook), body: { name: `poke ${count}` } });
    }
    const [failed] = await logWhen(webhook.id, isFinished);
    expect(failed).toMatchObject({ status: 'failed', attempts: Array(10).fill({ error: 'refused', statusCode: 500 }) });
    expect(clock.now() - started).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([failed?.id]));
    const { webhook: disabled } = (await server.api.getWebhook({ params: pathOf(webhook) })).body;
    expect(disabled).toMatchObject({ enabled: false, disabled: { reason: 'failing' } });
    const [notice] = await watcher.atLeast(1);
    expect(notice?.json).toMatchObject({ type: 'webhook.disabled', data: { webhook: { id: webhook.id } } });
    await logWhen(other.id, isFinished);
    await watcher.close();
    const enabled = (await server.api.updateWebhook({ params: pathOf(webhook), body: { enabled: true } })).body.webhook;
    expect(enabled.disabled).toBeUndefined();
  });

  it('is delivered by a later attempt, which ends the failure', async () => {
    const { webhook } = await create();
    receiver.answer(answerStatus(503));
    await cancelPlan();
    const [first] = await logWhen(webhook.id, (rows) => attemptsOf(rows).length === 1);
    expect((await server.api.getWebhook({ params: pathOf(webhook) })).body.webhook.failingSince).toBeDefined();
    receiver.answer(answerStatus(200));
    clock.advance(60_000);
    await server.api.updateWebhook({ params: pathOf(webhook), body: { name: 'again' } });
    const [delivered] = await logWhen(webhook.id, isFinished);
    expect(delivered).toMatchObject({
      id: first?.id,
      status: 'delivered',
      attempts: [{ statusCode: 503 }, { statusCode: 200 }],
    });
    expect((await server.api.getWebhook({ params: pathOf(webhook) })).body.webhook.failingSince).toBeUndefined();
  });

  it('with 410 Gone disables its webhook at once', async () => {
    const { webhook } = await create();
    receiver.answer(answerStatus(410));
    await cancelPlan();
    await logWhen(webhook.id, isFinished);
    expect((await server.api.getWebhook({ params: pathOf(webhook) })).body.webhook).toMatchObject({
      enabled: false,
      disabled: { reason: 'gone' },
    });
  });

  it('is sent again on request, under the same id, and not while it waits', async () => {
    const { webhook } = await create();
    receiver.answer(answerStatus(400));
    const { delivery } = (await server.api.testWebhook({ params: pathOf(webhook) })).body;
    await logWhen(webhook.id, isFinished);
    receiver.answer(hang);
    const params = { ...pathOf(webhook), deliveryId: delivery.id };
    expect((await server.api.redeliver({ params })).status).toBe(202);
    const received = await receiver.atLeast(2);
    expect(received.map(({ id }) => id)).toEqual([delivery.id, delivery.id]);
    await expect(server.api.redeliver({ params })).rejects.toMatchObject({ details: { reason: 'delivery_pending' } });
  });

  it('is not sent again while its webhook is disabled, unless it is a test', async () => {
    const { webhook } = await create();
    await cancelPlan();
    await server.api.testWebhook({ params: pathOf(webhook) });
    const log = await logWhen(webhook.id, (rows) => rows.length === 2 && isFinished(rows));
    const update = (enabled: boolean) => server.api.updateWebhook({ params: pathOf(webhook), body: { enabled } });
    const redeliver = (event: string) => {
      const deliveryId = log.find((delivery) => delivery.event === event)?.id ?? '';
      return server.api.redeliver({ params: { ...pathOf(webhook), deliveryId } });
    };
    await update(false);
    await expect(redeliver('run.cancelled')).rejects.toMatchObject({ details: { reason: 'webhook_disabled' } });
    expect((await redeliver('webhook.test')).status).toBe(202);
    await update(true);
    expect((await redeliver('run.cancelled')).status).toBe(202);
  });
});

it('can be disabled and deleted in an archived Workspace, and not changed or enabled', async () => {
  const { webhook } = await create();
  const params = pathOf(webhook);
  const archive = (at: number | null) =>
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE workspaces SET archived_at = ? WHERE id = ?').run(at, server.workspaceId),
    );
  archive(1);
  for (const body of [{ enabled: true }, { enabled: false, name: 'Other' }])
    await expect(server.api.updateWebhook({ params, body })).rejects.toMatchObject({
      details: { reason: 'workspace_archived' },
    });
  expect((await server.api.updateWebhook({ params, body: { enabled: false } })).body.webhook.enabled).toBe(false);
  expect((await server.api.deleteWebhook({ params })).status).toBe(204);
  archive(null);
});

describe('a receiver that hangs', () => {
  it('delays neither another webhook nor a request, and is called again under the same id after a restart', async () => {
    const other = await startWebhookReceiver();
    const { webhook } = await create();
    await create({ url: other.url });
    receiver.answer(hang);
    await cancelPlan();
    const [first] = await receiver.atLeast(1);
    await cancelPlan();
    await cancelPlan();
    // The attempt is still open, and the others have passed it.
    expect(await other.atLeast(3)).toHaveLength(3);
    expect(receiver.received).toHaveLength(1);
    expect((await server.api.getWebhook({ params: pathOf(webhook) })).body.webhook.pendingCount).toBe(3);
    await server.restart();
    receiver.answer(answerStatus(204));
    const ids = (await receiver.atLeast(4)).map(({ id }) => id);
    expect(ids.filter((id) => id === first?.id)).toHaveLength(2);
    expect(new Set(ids).size).toBe(3);
    await other.close();
  });
});

it('drops the oldest waiting deliveries of a Workspace beyond its bound, and says so in the log', async () => {
  const { webhook } = await create();
  receiver.answer(hang);
  await cancelPlan();
  await receiver.atLeast(1);
  const insert = `INSERT INTO webhook_deliveries (id, webhook_id, workspace_id, event, status, message, attempts, tries, due_at, created_at)
    SELECT 'msg_' || value, ?, ?, 'run.failed', 'pending', (SELECT message FROM webhook_deliveries WHERE webhook_id = ?), '[]', 10, ?, ? FROM generate_series(1, 499)`;
  const series = insert.replace(
    'generate_series(1, 499)',
    '(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 499) SELECT value FROM n)',
  );
  server.ledger((db) =>
    db.sqlite.prepare(series).run(webhook.id, server.workspaceId, webhook.id, clock.now(), clock.now()),
  );
  await cancelPlan();
  const query = { status: 'dropped' as const };
  const { deliveries } = (await server.api.listWebhookDeliveries({ params: pathOf(webhook), query })).body;
  expect(deliveries).toMatchObject([{ event: 'run.cancelled', status: 'dropped', finishedAt: expect.any(String) }]);
  const pages = [];
  let cursor: string | undefined;
  do {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const page = (await server.api.listWebhookDeliveries({ params: pathOf(webhook), query })).body;
    pages.push(page.deliveries.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect([pages.length, new Set(pages.flat()).size]).toEqual([6, 501]);
});

it('reports a hold and its release, without the reason', async () => {
  const { webhook } = await create({ events: ['capsule.held', 'capsule.hold_released'] });
  const capsule = await seedCapsule(server);
  const params = { capsuleId: capsule.id };
  await server.api.holdCapsule({ params, body: { reason: 'canary-of-a-reason' } });
  await server.api.releaseCapsule({ params });
  const received = await receiver.atLeast(2);
  expect(received.map(({ json }) => json)).toMatchObject([
    { type: 'capsule.held', data: { capsule: { id: capsule.id } } },
    { type: 'capsule.hold_released', data: { capsule: { id: capsule.id } } },
  ]);
  const { text } = await server.request(
    'GET',
    `/api/v1/workspaces/${server.workspaceId}/webhooks/${webhook.id}/deliveries`,
  );
  expect(JSON.stringify(received) + text).not.toContain('canary-of-a-reason');
});

it('reports scheduled backups that fail', async () => {
  await create({ events: ['backup_schedule.failed'], format: 'slack' });
  const params = { workspaceId: server.workspaceId };
  const target = { kind: 'folder' as const, path: path.join(backupFolder, 'disk') };
  fs.mkdirSync(target.path);
  await server.api.saveBackupSchedule({ params, body: { hour: 3, keep: 1, target } });
  fs.rmdirSync(target.path);
  await server.api.startScheduledBackup({ params });
  const [received] = await receiver.atLeast(1);
  expect(received?.json).toEqual({ text: expect.stringMatching(/^A scheduled backup failed\nWorkspace: `.*`$/) });
  await server.api.deleteBackupSchedule({ params });
});

it('carries no reason, value or diagnostic of a Run', async () => {
  const { webhook } = await create();
  const canary = 'canary-5d1f-value';
  const { id } = await cancelPlan({
    facts: {
      policyStatus: 'pass',
      approval: { by: 'sub_x', at: new Date().toISOString(), reason: canary },
      summary: { add: 1, change: 0, destroy: 0 },
    },
    feed: [logLine(canary)],
    document: { diagnostics: [{ severity: 'error', summary: canary, detail: canary }] },
  });
  const [delivery] = await receiver.atLeast(1);
  expect(delivery?.json).toMatchObject({ data: { run: { id }, counts: { add: 1 } } });
  const stored = server.ledger((db) =>
    db.sqlite.prepare('SELECT message, attempts FROM webhook_deliveries WHERE webhook_id = ?').all(webhook.id),
  );
  expect(JSON.stringify([delivery, stored])).not.toContain(canary);
});
