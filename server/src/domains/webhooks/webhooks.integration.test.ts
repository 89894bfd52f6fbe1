import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookDelivery } from '#shared/webhooks/contract';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';
import { isSigned, startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';

const clock = heldClock(Date.now());
let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await startTestServer({
    clock,
    env: { GROUNDCTL_WEBHOOK_HOSTS: 'localhost', GROUNDCTL_PUBLIC_URL: '' },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  return () => receiver.close();
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

describe('a webhook', () => {
  it('receives a signed delivery of an event, which its log shows', async () => {
    const { webhook, signingSecret = '' } = await create();
    const capsule = await seedCapsule(server);
    const plan = seedPlan(server, capsule, { moves: ['claim', 'requestApproval'] });
    await server.api.cancelRun({ params: { runId: plan.id }, body: {} });
    const [delivery] = await receiver.atLeast(1);
    expect(delivery?.json).toMatchObject({
      type: 'run.cancelled',
      data: { capsule: { id: capsule.id }, run: { id: plan.id, type: 'plan', status: 'cancelled' } },
    });
    expect(delivery && isSigned(delivery, signingSecret)).toBe(true);
    const log = await logWhen(webhook.id, isFinished);
    expect(log).toMatchObject([
      {
        id: delivery?.id,
        event: 'run.cancelled',
        status: 'delivered',
        runId: plan.id,
        attempts: [{ statusCode: 204, durationMs: expect.any(Number) }],
      },
    ]);
  });
});
