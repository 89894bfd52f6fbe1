import net from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type ConnectionOptions, connect, jwtAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import type { Secret } from '#server/kernel/secret';
import { untilAborted } from '#server/kernel/until-aborted';
import { NatsError, type NatsErrorReason } from './nats-error.ts';
import { pause } from './retry.ts';
import { translated } from './translate.ts';

export type Connection = NatsConnection;

/**
 * State of a connection. `denied`: NATS refused the credentials, which a newer JWT may change. `tls_refused`: NATS has
 * no TLS, or its certificate is not one of the pinned authority for this address.
 */
export type ConnectionState =
  | 'closed'
  | 'connected'
  | 'denied'
  | 'disconnected'
  | 'slow'
  | 'tls_refused'
  | 'unreachable';

export type ConnectionSettings = {
  /** Addresses of the members of one cluster: `tls://host:port`, or `nats://host:port` without TLS. */
  urls: readonly string[];
  /** Certificate authority as PEM; only certificates that it signed are accepted. */
  ca?: string | undefined;
  /** Returns the newest credentials. Called at every connect, so a renewed JWT takes effect without a restart. */
  credentials: () => { jwt: string; seed: Secret };
  /** Prefix of all inboxes, from `names.inbox`. The server uses the default. */
  inboxPrefix?: string | undefined;
  onState?: ((state: ConnectionState) => void) | undefined;
  /** Time between two attempts. */
  retryMs?: number | undefined;
  /** Time for one attempt. */
  connectMs?: number | undefined;
};

const usualRetryMs = 1_000;
const usualConnectMs = 10_000;
/** A connection without an answer to two pings is replaced. A member that lost its power closes none. */
const pingMs = 2_000;

/**
 * Connects once, and reconnects for ever after that. Rejects with `unreachable`, `denied`, `tls_refused`, `timeout` or
 * `settings_invalid`.
 */
export async function connectOnce(settings: ConnectionSettings): Promise<Connection> {
  const options = optionsOf(settings);
  let connection: NatsConnection;
  try {
    connection = await connect(options);
  } catch (error) {
    throw translated(error);
  }
  void reportStates(connection, settings);
  return connection;
}

/**
 * Connects, with an attempt every `retryMs` until one succeeds. Rejects with `settings_invalid`, or with the reason of
 * the signal.
 */
export async function openConnection(settings: ConnectionSettings, signal: AbortSignal): Promise<Connection> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const connecting = connectOnce(settings);
      return await untilAborted(connecting, signal).catch((error: unknown) => {
        if (signal.aborted) void connecting.then((late) => late.close()).catch(() => {});
        throw error;
      });
    } catch (error) {
      if (signal.aborted || !(error instanceof NatsError) || error.reason === 'settings_invalid') throw error;
      settings.onState?.(stateAfter(error.reason));
    }
    await pause(settings.retryMs ?? usualRetryMs, signal);
  }
}

const stateAfter = (reason: NatsErrorReason): ConnectionState =>
  reason === 'denied' || reason === 'tls_refused' ? reason : 'unreachable';

function optionsOf(settings: ConnectionSettings): ConnectionOptions {
  const { urls, ca, credentials, inboxPrefix, retryMs = usualRetryMs, connectMs = usualConnectMs } = settings;
  const addresses = urls.map(parseAddress);
  const isSecure = addresses.every(({ protocol }) => protocol === 'tls:');
  // With a mixture of both an attacker would only have to block one of them.
  if (
    addresses.length === 0 ||
    (!isSecure && (ca !== undefined || addresses.some(({ protocol }) => protocol === 'tls:')))
  )
    throw new NatsError('settings_invalid');
  return {
    servers: addresses.map(({ host }) => host),
    // Addresses that a server announces were not chosen by the operator.
    ignoreClusterUpdates: true,
    authenticator: (nonce) => {
      const { jwt, seed } = credentials();
      return jwtAuthenticator(jwt, seed.revealBytes())(nonce);
    },
    // NATS ends a connection whose JWT has expired. The next connect uses a newer one.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    timeout: connectMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...(isSecure && { tls: { ...(ca !== undefined && { ca }), ...identityCheck(addresses) } }),
  };
}

function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === '' && url.password === '' && /^\/?$/.test(url.pathname) && url.search === '';
  if (isPlain && url.hostname !== '' && (url.protocol === 'tls:' || url.protocol === 'nats:')) return url;
  throw new NatsError('settings_invalid');
}

/**
 * The client resolves names itself and has no name for an address that is an IP address; Node then compares the
 * certificate with `localhost`. It is compared with the addresses of the settings instead.
 */
function identityCheck(addresses: readonly URL[]) {
  const hosts = addresses.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const addressHosts = hosts.filter((host) => net.isIP(host) !== 0);
  return {
    checkServerIdentity: (host: string, certificate: PeerCertificate): Error | undefined => {
      if (hosts.includes(host)) return checkServerIdentity(host, certificate);
      const errors = addressHosts.map((address) => checkServerIdentity(address, certificate));
      return errors.includes(undefined) ? undefined : (errors[0] ?? new Error('The host is not one of the settings.'));
    },
  };
}

const denials = /^(?:AuthorizationError|UserAuthenticationExpiredError)$/;

async function reportStates(connection: NatsConnection, settings: ConnectionSettings): Promise<void> {
  const { onState = () => {} } = settings;
  const probe = createProbe({ ...settings, onState });
  onState('connected');
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') onState('disconnected');
    if (status.type === 'reconnecting') probe.noteAttempt();
    if (status.type === 'reconnect') {
      probe.reset();
      onState('connected');
    }
    if (status.type === 'slowConsumer') onState('slow');
    if (status.type === 'error' && denials.test(status.error.name)) onState('denied');
  }
  probe.reset();
  onState('closed');
}

/** Attempts of the client to reconnect after which the reason of their failure is looked up again. */
const attemptsPerProbe = 10;

/**
 * Reports that the certificate is refused while a lost connection is opened again. The client gives no reason for an
 * attempt that fails, so a connection of its own finds it, at the second attempt and then at every tenth.
 */
function createProbe({ onState, ...settings }: ConnectionSettings & { onState: (state: ConnectionState) => void }) {
  let attempts = 0;
  return {
    reset(): void {
      attempts = 0;
    },
    noteAttempt(): void {
      attempts += 1;
      if (attempts % attemptsPerProbe !== 2) return;
      connectOnce(settings)
        .then((connection) => connection.close())
        .catch((error: unknown) => {
          if (attempts > 0 && error instanceof NatsError && error.reason === 'tls_refused') onState(error.reason);
        });
    },
  };
}
