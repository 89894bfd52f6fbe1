import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { certificatesOf } from '#server/kernel/certificates';
import { webhookLimits } from '#shared/limits';
import type { DeliveryError } from '#shared/webhooks/contract';
import {
  type Address,
  type ExemptHosts,
  findAddresses,
  isExempt,
  mayName,
  type Resolve,
  resolvePublicly,
} from './addresses.ts';
import { deliveryErrorOf, WebhookError } from './webhook-error.ts';

export type WebhookClientOptions = {
  exemptHosts: ExemptHosts;
  caFile?: string | undefined;
  httpsProxy?: string | undefined;
  /** Replaced in tests. */
  resolve?: Resolve;
  connectMs?: number;
  totalMs?: number;
};

export type WebhookRequest = { url: URL; headers: Record<string, string>; body: string };
export type WebhookResult = { durationMs: number; statusCode?: number; error?: DeliveryError };

export type WebhookClient = {
  /** Reports whether an address may be a webhook's: https, or an exempt host. */
  accepts(url: URL): 'ok' | 'scheme' | 'host';
  /** Sends one POST and reports how it went; never throws. It follows no redirect. */
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResult>;
};

type Connection = Required<Pick<WebhookClientOptions, 'connectMs'>> & {
  addresses: Address[];
  agent: http.Agent | undefined;
  isProxied: boolean;
};

/** Creates a client for deliveries. Every attempt has its own connection, so that one receiver never waits for another. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { exemptHosts, resolve = resolvePublicly, httpsProxy } = options;
  const { connectMs = webhookLimits.connectMs, totalMs = webhookLimits.totalMs } = options;

  async function send({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<number> {
    const addresses = await unlessAborted(
      findAddresses(url.hostname, { exempt: exemptHosts, resolve, signal }),
      signal,
    );
    const isProxied = httpsProxy !== undefined && url.protocol === 'https:' && !isExempt(url.hostname, exemptHosts);
    const agent = url.protocol === 'https:' ? createSecureAgent(options, isProxied) : new http.Agent();
    try {
      return await sendOnce({ url, headers, body }, { addresses, agent, isProxied, connectMs }, signal);
    } finally {
      agent.destroy();
    }
  }

  return {
    accepts(url) {
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isExempt(url.hostname, exemptHosts)))
        return 'scheme';
      return mayName(url.hostname, exemptHosts) ? 'ok' : 'host';
    },
    async post(request, signal) {
      const startedAt = performance.now();
      const deadline = AbortSignal.timeout(totalMs);
      const result = await send(request, AbortSignal.any([signal, deadline])).then(
        (statusCode) => resultOf(statusCode),
        (error: unknown) => ({ error: deadline.aborted ? ('timed_out' as const) : deliveryErrorOf(error) }),
      );
      return { ...result, durationMs: Math.round(performance.now() - startedAt) };
    },
  };
}

function resultOf(statusCode: number): Omit<WebhookResult, 'durationMs'> {
  if (statusCode >= 200 && statusCode < 300) return { statusCode };
  return { statusCode, error: statusCode >= 300 && statusCode < 400 ? 'redirected' : 'refused' };
}

/** Rejects when the signal is aborted, although the work goes on. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new WebhookError('timed_out'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function createSecureAgent({ caFile, httpsProxy }: WebhookClientOptions, isProxied: boolean): https.Agent {
  return new https.Agent({
    ...certificatesOf(caFile),
    ...(isProxied && { proxyEnv: { HTTPS_PROXY: httpsProxy } }),
  });
}

/** Resolves with the status of the answer, once at most a few bytes of its body were read. */
function sendOnce(
  { url, headers, body }: WebhookRequest,
  connection: Connection,
  signal: AbortSignal,
): Promise<number> {
  const { addresses, agent, isProxied, connectMs } = connection;
  const options: https.RequestOptions = {
    method: 'POST',
    headers: { ...headers, host: url.host, 'content-length': String(Buffer.byteLength(body)) },
    agent,
    signal,
    ...(isProxied
      ? throughProxy(url, addresses)
      : { lookup: (_name, { all }, callback) => answerLookup(addresses, all, callback) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, options);
    limitConnecting(outgoing, connectMs);
    let isAnswered = false;
    const fail = (error: Error) => !isAnswered && reject(error);
    outgoing.on('error', fail);
    // A request that is answered by another protocol is closed without an error or a response.
    outgoing.once('close', () => fail(new WebhookError('connection_failed')));
    outgoing.once('response', (incoming) => {
      isAnswered = true;
      discard(incoming, () => {
        outgoing.destroy();
        resolve(incoming.statusCode ?? 0);
      });
    });
    outgoing.end(body);
  });
}

/** The proxy is asked for the checked address, because it would resolve a name again. The certificate is still checked by name. */
const throughProxy = (url: URL, [first]: Address[]): https.RequestOptions => ({
  ...(first && { host: first.address, hostname: first.address }),
  ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: url.hostname }),
});

type LookupCallback = (error: null, address: string | Address[], family?: number) => void;

function answerLookup(addresses: Address[], all: boolean | undefined, callback: LookupCallback): void {
  const [first] = addresses;
  if (all) callback(null, addresses);
  else callback(null, first?.address ?? '', first?.family);
}

function limitConnecting(outgoing: http.ClientRequest, connectMs: number): void {
  const timer = setTimeout(() => outgoing.destroy(new WebhookError('timed_out')), connectMs);
  outgoing.once('socket', (socket) => {
    const isSecure = 'encrypted' in socket;
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
  });
  outgoing.once('close', () => clearTimeout(timer));
}

/** Reads a bounded part of the answer, so that a small one ends the connection cleanly, and no more. */
function discard(incoming: http.IncomingMessage, done: () => void): void {
  const timer = setTimeout(done, discardMs);
  const end = () => {
    clearTimeout(timer);
    done();
  };
  let received = 0;
  incoming.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > webhookLimits.answerBytes) end();
  });
  incoming.once('close', end);
  incoming.once('error', end);
}

/** Time for the body of an answer, whose status is known already. */
const discardMs = 1_000;
