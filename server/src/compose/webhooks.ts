import { createEventMessages, createEventSource, createWebhooksService } from '../domains/webhooks/index.ts';
import { createWebhookClient } from '../drivers/webhook/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

/** Builds the events of the one table, what every channel says about them, and the webhooks that carry them. */
export function buildWebhooks(
  context: AppContext,
  base: BaseDomains,
  { capsules, stores }: Pick<RecordDomains, 'capsules' | 'stores'>,
) {
  const { settings, log, vault, clock } = context;
  const events = createEventSource({ ...base, clock });
  const messageOf = createEventMessages({
    ...base,
    capsules,
    listDrifted: (runId) => stores.plans.findDocument(runId)?.drift ?? [],
    publicUrl: settings.publicUrl,
  });
  const client = createWebhookClient({
    exemptHosts: settings.webhookHosts,
    caFile: settings.caFile,
    httpsProxy: settings.httpsProxy,
  });
  const webhooks = createWebhooksService({ ...base.shared, ...base, log, vault, client, events, messageOf });
  return { events, messageOf, webhooks };
}
