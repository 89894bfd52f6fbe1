import { readStream, type StreamEvent } from '#shared/kernel/event-stream';
import type { Webhook, WebhookDelivery } from '#shared/webhooks/contract';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { LineError } from '../line-error.ts';
import { atServer, type Work } from './command.ts';
import { asLineError, refusalOf } from './line.ts';
import { findWorkspace, type Server } from './server.ts';
import { tableText } from './text.ts';

/** Webhooks of a Workspace, by host alone. */
export const runNotify = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const workspace = await findWorkspace(server, options.workspace);
  const webhooks = await listWebhooks(server, workspace.id);
  if (terminal.isJson) terminal.document({ webhooks });
  else if (webhooks.length === 0)
    terminal.say(`There are no webhooks. Create one at ${server.link('/workspace/webhooks')}`);
  else for (const line of linesOf(webhooks, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (webhooks: readonly Webhook[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['WEBHOOK', 'NAME', 'STATUS', 'FORMAT', 'HOST', 'EVENTS'],
    webhooks.map((one) => [one.id, one.name, statusOf(one), one.format, one.host, one.events.join(',')]),
    paint,
  );

function statusOf({ enabled, disabled, failingSince }: Webhook): string {
  if (!enabled) return disabled ? `disabled (${disabled.reason})` : 'disabled';
  return failingSince === undefined ? 'active' : 'failing';
}

/** Sends a test to a webhook, named by id or by a unique name, and reports how its receiver answered. */
export const runNotifyTest = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  const workspace = await findWorkspace(server, options.workspace);
  const webhook = await findWebhook(server, workspace.id, args[0] ?? '');
  const delivery = await sendTest(work, webhook);
  const last = delivery.attempts.at(-1);
  if (delivery.status !== 'delivered' || !last)
    throw failed('test_failed', `The test of ${webhook.name} was not delivered: ${failureOf(delivery)}.`);
  if (terminal.isJson) terminal.document({ delivery });
  else terminal.say(`${webhook.host} answered ${last.statusCode} to the test of ${webhook.name}.`);
  return exitCodes.done;
});

function failureOf({ status, attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (!last) return status;
  const { statusCode, error = status } = last;
  const text = error.replaceAll('_', ' ');
  return statusCode === undefined ? text : `${text}, status ${statusCode}`;
}

const listWebhooks = async ({ api }: Server, workspaceId: string): Promise<Webhook[]> =>
  (await api.listWebhooks({ params: { workspaceId } })).body.webhooks;

async function findWebhook(server: Server, workspaceId: string, named: string): Promise<Webhook> {
  const matches = (await listWebhooks(server, workspaceId)).filter(({ id, name }) => id === named || name === named);
  const [only] = matches;
  if (!only) throw wrongUse(`There is no webhook "${named}". List them with: groundctl notify`);
  if (matches.length > 1)
    throw wrongUse(
      `${matches.length} webhooks are called "${named}". Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    );
  return only;
}

/** Requests a test and waits for its end. The changes of the Workspace are followed before, so that none is missed. */
async function sendTest({ server, signal }: Work, { workspaceId, id: webhookId }: Webhook): Promise<WebhookDelivery> {
  const params = { workspaceId, webhookId };
  const changes = openChanges(server, workspaceId, signal);
  await changes.next();
  const { delivery } = (await server.api.testWebhook({ params })).body;
  const read = async () => {
    const { deliveries } = (await server.api.listWebhookDeliveries({ params })).body;
    return deliveries.find(({ id }) => id === delivery.id) ?? delivery;
  };
  let current = await read();
  try {
    while (current.status === 'pending' && !(await changes.next()).done) current = await read();
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    current = await read();
  } finally {
    await changes.return(undefined);
  }
  return current;
}

/** Follows the changes of a Workspace. The first item says that the connection is open. */
function openChanges(server: Server, workspaceId: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const lost = (error: unknown) => asLineError(error, signal);
  const open = async (either: AbortSignal) => {
    const url = `${server.location.origin()}/api/v1/workspaces/${workspaceId}/events`;
    const headers = { authorization: `Bearer ${await server.getToken()}`, accept: 'text/event-stream' };
    const answer = await fetch(url, { headers, redirect: 'manual', signal: either }).catch(lost);
    if (answer.status !== 200 || !answer.body) throw refusalOf(answer.status, await answer.text().catch(lost));
    return answer.body;
  };
  return readStream({ open, signal, lost });
}
