import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookDelivery } from '#shared/webhooks/contract';
import {
  answerStatus,
  hang,
  isSigned,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../server/test/webhook-receiver.ts';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { canaryOf, findCanaries } from './fixtures/canary.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const longTimeout = { timeout: 60_000 };

let receiver: WebhookReceiver;
let webhookId = '';

describe.skipIf(!hasChromium)('webhooks', () => {
  serveBrowsed({ providers: true, env: { GROUNDCTL_WEBHOOK_HOSTS: 'localhost' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver?.close());

  it('are created by an owner, who copies the secret once and sends a test', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/workspace');
    await page.getByRole('link', { name: 'Manage webhooks' }).click(longTimeout);
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor(longTimeout);
    await keepPicture(page, 'webhooks-empty');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Enter an address that begins with https://.').waitFor();
    await page.getByText('2 fields need a correction').waitFor();
    await page.getByLabel('Name').fill('Operations');
    await page.getByLabel('Address', { exact: true }).fill('https://10.0.0.7/hook');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('This host is on this machine or in a private network.').waitFor(longTimeout);
    await page.getByLabel('Address', { exact: true }).fill(receiver.url);
    await page.getByLabel('A Run succeeded').check();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'webhooks-new');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = (await page.getByTestId('webhook-secret').textContent(longTimeout)) ?? '';
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await keepPicture(page, 'webhooks-secret');
    await page.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'Send test' }).click(longTimeout);
    const [delivery] = await receiver.atLeast(1);
    expect(delivery && isSigned(delivery, secret)).toBe(true);
    await page.getByRole('listitem').filter({ hasText: 'Test' }).getByText('Delivered').first().waitFor(longTimeout);
    webhookId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const text = (await page.getByRole('main').textContent()) ?? '';
    expect([text.includes('localhost'), text.includes('very-secret-path'), text.includes(secret)]).toEqual([
      true,
      false,
      false,
    ]);
    await close();
  });

  it('report the Runs of a Capsule, and carry no value, diagnostic or reason', async () => {
    const secrets = ['canary-input-7f3a', 'canary-state-1b9c', 'canary-diagnostic-44de', 'canary-reason-9e2f'];
    const canaries = secrets.map((secret) => canaryOf(secret, secret));
    const refuses =
      'check "refuses" {\n  assert {\n    condition     = var.word == ""\n    error_message = "canary-diagnostic-44de"\n  }\n}\n';
    const variable = 'variable "word" {\n  type = string\n}\n';
    const body = variable + thing('one', `note = "canary-state-1b9c \${var.word}"`) + refuses;
    const { url, commit } = harness.repository('reported', { 'main.tf': fakeModule(body) });
    const { capsuleId, plan } = await installPlanned(harness, {
      url,
      name: 'reported',
      variables: { word: 'canary-input-7f3a' },
    });
    await harness.http.post(`/api/v1/runs/${plan.id}/approve`, { reason: 'canary-reason-9e2f' });
    await applyPlan(harness, plan);
    const failing = fakeModule(`${body}output "broken" {\n  value = file("canary-diagnostic-44de")\n}\n`);
    commit({ 'main.tf': failing });
    const failed = await installPlanned(harness, {
      url,
      name: 'failing',
      variables: { word: 'canary-input-7f3a' },
    }).catch(() => undefined);
    expect(failed).toBeUndefined();

    const received = await receiver.atLeast(4);
    expect(received.map(({ json }) => (json as { type: string }).type).sort()).toEqual([
      'run.failed',
      'run.succeeded',
      'run.waiting',
      'webhook.test',
    ]);
    const applied = received.find(({ body: sent }) => sent.includes('run.succeeded'));
    expect(applied?.json).toMatchObject({
      data: {
        capsule: { id: capsuleId, name: 'reported' },
        run: { type: 'apply', status: 'succeeded' },
        counts: { add: 1, change: 0, destroy: 0 },
        resources: { total: 1, items: [{ address: 'fake_thing.one', actions: ['create'] }] },
      },
    });
    const log = await harness.http.get<{ deliveries: WebhookDelivery[] }>(
      `/api/v1/workspaces/${harness.workspaceId}/webhooks/${webhookId}/deliveries`,
    );
    const places = [log.text, ...received.map(({ body: sent, headers }) => sent + JSON.stringify(headers))];
    expect(places.flatMap((text, at) => findCanaries(`place ${at}`, text, canaries))).toEqual([]);
    // The values were really there to leak.
    const states = await harness.http.get(`/api/v1/runs/${plan.id}/plan`);
    expect(states.text).toContain('canary-state-1b9c');
  });

  it('lose nothing to a kill -9 between event, delivery and its record, and repeat under the same id', async () => {
    const body = thing('killed');
    const { url } = harness.repository('killed', { 'main.tf': fakeModule(body) });
    receiver.answer(hang);
    const before = receiver.received.length;
    // The first message is sent and its result is not recorded; the second one waits behind it.
    const { plan } = await installPlanned(harness, { url, name: 'killed' });
    await receiver.atLeast(before + 1);
    await applyPlan(harness, plan);
    await harness.server.kill9();
    receiver.answer(answerStatus(204));
    await harness.server.restart();
    const received = (await receiver.atLeast(before + 3)).slice(before);
    const typesById = received.map(({ id, json }) => [id, (json as { type: string }).type]);
    const [first] = typesById;
    expect(first?.[1]).toBe('run.waiting');
    expect(typesById.filter(([id]) => id === first?.[0])).toHaveLength(2);
    expect(typesById.filter(([, type]) => type === 'run.succeeded')).toHaveLength(1);
    expect(received).toHaveLength(3);
  });

  it.each(extremeViews)('are read without findings, %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    for (const path of ['/workspace/webhooks', `/workspace/webhooks/${webhookId}`]) {
      await openRoute(page, path);
      await settledPage(page);
      expect(await accessibilityFindings(page)).toEqual([]);
      await expectStableLayout(page);
      await keepPicture(page, `webhooks-${name}${path.includes('wh_') ? '-one' : ''}`);
    }
    await close();
  });

  it('tell a viewer who manages them', async () => {
    const { subject } = await addPerson(harness.server);
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, {
      accountId: subject,
      role: 'viewer',
    });
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await openRoute(page, '/workspace/webhooks');
    await page.getByRole('heading', { name: 'Owners and admins manage webhooks' }).waitFor(longTimeout);
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await keepPicture(page, 'webhooks-viewer');
    await close();
  });
});
