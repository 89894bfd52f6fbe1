import { afterAll, beforeAll, expect, test } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { answerStatus, startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';

let server: TestServer;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  server = await startTestServer({ env: { GROUNDCTL_WEBHOOK_HOSTS: 'localhost' } });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

const here = () => ['--data-dir', server.dataDir];

test('webhooks are listed by host, and a test reports how the receiver answered', async () => {
  expect((await groundctl('notify', ...here())).out).toContain('There are no webhooks.');
  const body = { name: 'Operations', url: receiver.url, events: ['run.failed' as const] };
  await server.api.createWebhook({ params: { workspaceId: server.workspaceId }, body });
  const { out } = await groundctl('notify', ...here());
  expect(out).toMatch(/wh_\w{26}\s+Operations\s+active\s+json\s+localhost:\d+\s+run\.failed/);
  expect(out).not.toContain('very-secret-path');

  const delivered = await groundctl('notify', 'test', 'Operations', ...here());
  expect([delivered.code, delivered.out]).toEqual([
    0,
    `localhost:${receiver.port} answered 204 to the test of Operations.\n`,
  ]);
  receiver.answer(answerStatus(403));
  const refused = await groundctl('notify', 'test', 'Operations', ...here());
  expect([refused.code, refused.err]).toEqual([1, 'The test of Operations was not delivered: refused, status 403.\n']);
  const unknown = await groundctl('notify', 'test', 'Nothing', ...here());
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no webhook "Nothing".')]);
});
