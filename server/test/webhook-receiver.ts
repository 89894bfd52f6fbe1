import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

export type ReceivedDelivery = { id: string; headers: http.IncomingHttpHeaders; body: string; json: unknown };
type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export type WebhookReceiver = {
  readonly url: string;
  readonly port: number;
  /** Everything that arrived, in order. */
  readonly received: readonly ReceivedDelivery[];
  /** Connections that were opened, also those without a request. */
  connections(): number;
  /** Replaces the answer to the next requests. */
  answer(how: Answer): void;
  /** Resolves with the deliveries once this many have arrived. */
  atLeast(count: number): Promise<readonly ReceivedDelivery[]>;
  close(): Promise<void>;
};

export const answerStatus =
  (status: number, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end();

/** Never answers. */
export const hang: Answer = () => undefined;

/** Starts a real receiver of webhooks on the loopback address; with a certificate it speaks https. */
export async function startWebhookReceiver({
  tls,
}: {
  tls?: { cert: string; key: string };
} = {}): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = [];
  const wake: (() => void)[] = [];
  let answer: Answer = answerStatus(204);
  let connections = 0;
  const handle: http.RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { headers } = request;
    received.push({ id: String(headers['webhook-id']), headers, body, json: JSON.parse(body) });
    answer(request, response);
    for (const work of wake.splice(0)) work();
  };
  const server = tls ? https.createServer(tls, handle) : http.createServer(handle);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${port}/hooks/very-secret-path`,
    port,
    received,
    connections: () => connections,
    answer: (how) => {
      answer = how;
    },
    async atLeast(count) {
      while (received.length < count) await new Promise<void>((resolve) => wake.push(resolve));
      return received;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Verifies a delivery as docs/webhooks.md shows it, without code of the server. */
export function isSigned({ headers, body }: ReceivedDelivery, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(content).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((entry) => Buffer.from(entry.replace(/^v1,/, ''), 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}
