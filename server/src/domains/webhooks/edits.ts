import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { WebhookClient } from '#server/drivers/webhook/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { present } from '#server/kernel/present';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { webhookLimits } from '#shared/limits';
import type { webhooksApi } from '#shared/webhooks/api';
import type { Webhook } from '#shared/webhooks/contract';
import type { Deliveries } from './deliveries.ts';
import type { WebhookPath, WebhookRows } from './rows.ts';
import type { WebhookSealing } from './sealing.ts';
import { newSigningSecret } from './signature.ts';
import type { WebhookRow, WebhooksStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: WebhooksStore;
  sealing: WebhookSealing;
  deliveries: Deliveries;
  rows: WebhookRows;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  client: Pick<WebhookClient, 'accepts'>;
};

type WebhookPatch = BodyOf<typeof webhooksApi.updateWebhook>;
type WithSecret = { webhook: Webhook; signingSecret: string };

/** Creates a webhook and its secret, which only this answer shows. */
function createCreation({ db, clock, store, sealing, deliveries, rows, client }: Deps) {
  const requireUrl = createUrlRule(client);

  return function create(
    workspaceId: string,
    input: BodyOf<typeof webhooksApi.createWebhook>,
    actorId: string,
  ): WithSecret {
    const { name, url, events, format, ...rest } = input;
    nothingLeft(rest);
    const address = requireUrl(url);
    return db.write(() => {
      if (store.listOf(workspaceId).length >= webhookLimits.webhooks)
        throw failedPrecondition(
          'webhook_limit_reached',
          `A Workspace has at most ${webhookLimits.webhooks} webhooks. Delete one that is not needed.`,
        );
      const id = newId('webhook');
      const signingSecret = newSigningSecret();
      const owner = { id, workspaceId };
      const now = clock.now();
      const row: WebhookRow = {
        ...owner,
        name,
        events,
        format,
        host: address.host,
        url: sealing.seal(owner, 'url', address.href),
        secret: sealing.seal(owner, 'secret', signingSecret),
        ...unused,
        enabled: true,
        createdBy: actorId,
        createdAt: now,
        updatedAt: now,
      };
      store.insert(row);
      rows.record(row, 'webhook.created', actorId);
      deliveries.notify(row);
      return { webhook: rows.show(row), signingSecret };
    });
  };
}

/** Creates, changes and deletes webhooks. */
export function createWebhookEdits(deps: Deps) {
  const { db, clock, store, sealing, deliveries, rows } = deps;
  const requireUrl = createUrlRule(deps.client);

  /** Writes a change and returns the webhook as it is now. */
  function change(row: WebhookRow, set: Partial<WebhookRow>): WebhookRow {
    const changed = { ...row, ...set, updatedAt: clock.now() };
    store.update(row.id, { ...set, updatedAt: changed.updatedAt });
    deliveries.notify(row);
    return changed;
  }

  /** 409 `workspace_archived` for a change of an archived Workspace, except to disable the webhook. */
  function update(path: WebhookPath, patch: WebhookPatch, actorId: string): Webhook {
    const { name, url, events, format, enabled, ...rest } = patch;
    nothingLeft(rest);
    if (Object.values(patch).every((value) => value === undefined))
      throw invalidArgument('empty_patch', 'Name at least one field to change.');
    const address = url === undefined ? undefined : requireUrl(url);
    return db.write(() => {
      const row = rows.getRow(path);
      if (!disablesOnly(patch)) deps.workspaces.requireLive(row.workspaceId);
      const changed = change(row, {
        ...(name !== undefined && { name }),
        ...(events !== undefined && { events }),
        ...(format !== undefined && { format }),
        ...(address && { host: address.host, url: sealing.seal(row, 'url', address.href) }),
        ...(enabled !== undefined && enabled !== row.enabled && { enabled, ...fresh }),
      });
      if (enabled === false) store.dropPending(row.id, clock.now());
      deliveries.reschedule(row.id);
      rows.record(changed, 'webhook.updated', actorId);
      return rows.show(changed);
    });
  }

  function remove(path: WebhookPath, actorId: string): void {
    db.write(() => {
      const row = rows.getRow(path);
      store.remove(row.id);
      rows.record(row, 'webhook.deleted', actorId);
      deliveries.notify(row);
    });
  }

  function rotate(path: WebhookPath, actorId: string): WithSecret {
    return db.write(() => {
      const row = rows.getRow(path);
      const signingSecret = newSigningSecret();
      const changed = change(row, {
        secret: sealing.seal(row, 'secret', signingSecret),
        previousSecret: sealing.moveToPrevious(row),
        previousSecretUntil: clock.now() + webhookLimits.secretOverlapHours * 3_600_000,
      });
      rows.record(changed, 'webhook.secret_rotated', actorId);
      return { webhook: rows.show(changed), signingSecret };
    });
  }

  return {
    list: (workspaceId: string): Webhook[] => store.listOf(workspaceId).map(rows.show),
    get: (path: WebhookPath): Webhook => rows.show(rows.getRow(path)),
    create: createCreation(deps),
    update,
    remove,
    rotate,
  };
}

const disablesOnly = (patch: WebhookPatch): boolean =>
  patch.enabled === false && Object.keys(present(patch)).length === 1;

/** A webhook without failures. */
const fresh = { disabledAt: null, disabledReason: null, failingSince: null, failures: 0, pausedUntil: null };
const unused = { ...fresh, previousSecret: null, previousSecretUntil: null, dueAt: null };

/** Returns the rule for addresses. It throws 400 with a reason and never quotes the address, which is a secret. */
const createUrlRule =
  (client: Pick<WebhookClient, 'accepts'>) =>
  (text: string): URL => {
    const field = '/url';
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url && url.hostname !== '' && url.username === '' && url.password === '' && url.hash === '';
    const verdict = url && client.accepts(url);
    if (!isPlain || verdict === 'scheme')
      throw invalidArgument(
        'webhook_url_invalid',
        'The address must begin with https:// and contain a host, without a user name, password or fragment.',
        { field },
      );
    if (verdict === 'host')
      throw invalidArgument(
        'webhook_address_not_allowed',
        'The host is on this machine or in a private network. Use a public host, or ask the operator to add it to GROUNDCTL_WEBHOOK_HOSTS.',
        { field },
      );
    return url;
  };
