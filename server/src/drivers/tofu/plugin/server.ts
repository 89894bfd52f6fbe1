import type {
  ClientHttp2Session,
  Http2Session,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { forwardCall, refuse, sendMessage } from './forward.ts';
import {
  configureMethods,
  frameMessage,
  grpcStatus,
  type PluginProtocol,
  providerServices,
  schemaMethods,
  stopMethods,
} from './protocol.ts';

export type ProviderServer = { close(): void };

/** The use of a process of a provider, until it is released. */
export type ProviderLease = { session: ClientHttp2Session; release(): void };

/**
 * The processes of one provider. The tool starts a provider for its schema, for the validation and for each
 * configuration, and many providers keep one configuration in a process. So a process that has none is shared by all
 * callers, and one that gets a configuration belongs to its caller from then on. Both reject when no process starts.
 */
export type ProviderProcesses = {
  /** Leases the shared process for one call. */
  share(): Promise<ProviderLease>;
  /** Leases a process without a configuration to one caller. It ends when it is released. */
  claim(): Promise<ProviderLease>;
};

export type ProviderEndpoint = {
  protocol: PluginProtocol;
  /** Message as `requestSchema` returned it. */
  schema: Buffer;
  /** Absent: only the schema is answered. */
  processes?: ProviderProcesses | undefined;
  /** Set when the tool has asked for the schema. */
  isRequested?: boolean;
  /** Set by the first call that follows the schema, so the tool has accepted it. */
  isAccepted?: boolean;
};

/** Bytes that one connection may hold in memory; the calls of a tool run side by side. */
const sessionMaxMegabytes = 256;

/**
 * Serves a provider at a Unix socket in place of its own process. The schema is the given one; other calls go to the
 * processes. Without processes every other call is unimplemented, which the tool accepts for the calls of a `show`.
 * Calls of the plugin library are unimplemented too, as old providers answer them. The members of `endpoint` may change.
 */
export async function serveProvider(socket: string, endpoint: ProviderEndpoint): Promise<ProviderServer> {
  // Most Runs need no HTTP/2, and loading it takes a sixth of the start of a supervisor.
  const { createServer } = await import('node:http2');
  // Once for all connections, because a schema can be large.
  const schema = frameMessage(endpoint.schema);
  const sessions = new Set<Http2Session>();
  const server = createServer({ maxSessionMemory: sessionMaxMegabytes });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    serveSession(session, endpoint, schema);
  });
  server.on('sessionError', () => {});
  const close = () => {
    server.close();
    for (const session of sessions) session.destroy();
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve({ close }));
  });
}

const empty = frameMessage(new Uint8Array());

function serveSession(session: ServerHttp2Session, endpoint: ProviderEndpoint, schema: Buffer): void {
  const { protocol } = endpoint;
  let claimed: Promise<ProviderLease> | undefined;
  session.once('close', () => void claimed?.then((lease) => lease.release()).catch(() => {}));
  session.on('stream', (caller, headers) => {
    caller.on('error', () => {});
    const method = String(headers[':path']);
    const { processes } = endpoint;
    if (method === schemaMethods[protocol]) {
      endpoint.isRequested = true;
      sendMessage(caller, schema);
      return;
    }
    endpoint.isAccepted ||= method.startsWith(providerServices[protocol]);
    if (processes === undefined || !method.startsWith(providerServices[protocol]))
      refuse(caller, grpcStatus.unimplemented);
    // Nothing runs in a process that was never configured for this caller.
    else if (method === stopMethods[protocol] && claimed === undefined) sendMessage(caller, empty);
    else {
      if (method === configureMethods[protocol]) claimed ??= processes.claim();
      void (claimed === undefined ? passOnce(caller, headers, processes.share()) : passOn(caller, headers, claimed));
    }
  });
}

/** Passes a call on and returns its lease, if a process started. */
async function passOn(
  caller: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  leasing: Promise<ProviderLease>,
): Promise<ProviderLease | undefined> {
  const lease = await leasing.catch(() => undefined);
  if (lease === undefined) refuse(caller, grpcStatus.unavailable);
  else await forwardCall(caller, headers, lease.session);
  return lease;
}

async function passOnce(...[caller, headers, leasing]: Parameters<typeof passOn>): Promise<void> {
  (await passOn(caller, headers, leasing))?.release();
}
