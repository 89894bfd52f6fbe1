import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { selfSigned } from '../../../test/certificate.ts';
import { type ConnectProxy, startConnectProxy } from '../../../test/connect-proxy.ts';
import { tempDir } from '../../../test/harness.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';
import { OutgoingError, sendOutgoing } from './outgoing.ts';

let folder: string;
let caFile: string;
let proxy: ConnectProxy;
let receiver: WebhookReceiver;
beforeAll(async () => {
  folder = tempDir();
  const tls = selfSigned('localhost');
  caFile = path.join(folder, 'ca.pem');
  fs.writeFileSync(caFile, tls.cert);
  proxy = await startConnectProxy();
  receiver = await startWebhookReceiver({ tls });
  receiver.answer((request) => request.socket.destroy());
});
afterAll(async () => {
  proxy.close();
  await receiver.close();
  removeTree(folder);
});

const failureOf = (outgoing: { caFile?: string; httpsProxy?: string }, url = receiver.url): Promise<unknown> =>
  sendOutgoing(
    { method: 'POST', url: new URL(url), headers: {}, body: '{}', timeoutMs: 30_000, maxBytes: 1_024 },
    { caFile: undefined, httpsProxy: undefined, ...outgoing },
  ).catch((error: unknown) => error instanceof OutgoingError && error.reason);

describe.each([
  ['directly', () => ({})],
  ['through a proxy', () => ({ httpsProxy: proxy.url })],
])('a request that is sent %s', (_, settings) => {
  it('has no answer when the receiver closes the connection after it', async () => {
    const before = receiver.received.length;
    expect(await failureOf({ caFile, ...settings() })).toBe('no_answer');
    expect(receiver.received).toHaveLength(before + 1);
  });

  it('is not sent to a receiver whose certificate is not trusted, or whose port is closed', async () => {
    const before = receiver.received.length;
    expect(await failureOf(settings())).toBe('unreachable');
    expect(await failureOf({ caFile, ...settings() }, 'https://localhost:1/')).toBe('unreachable');
    expect(receiver.received).toHaveLength(before);
  });

  it('is not sent when the CA file cannot be read', async () => {
    expect(await failureOf({ caFile: path.join(folder, 'none.pem'), ...settings() })).toBe('unreachable');
  });
});

it('is not sent to a proxy that does not answer', async () => {
  expect(await failureOf({ caFile, httpsProxy: 'http://127.0.0.1:1' })).toBe('unreachable');
});
