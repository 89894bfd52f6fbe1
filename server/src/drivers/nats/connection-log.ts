import type { Log } from '#server/kernel/log';
import type { ConnectionState } from './connection.ts';

const messages: Record<ConnectionState, string> = {
  closed: 'the connection to NATS is closed',
  connected: 'connected to NATS',
  denied: 'NATS refuses the credentials of this connection, which is tried again',
  disconnected: 'the connection to NATS was lost and is opened again',
  slow: 'messages of NATS arrive faster than they are read',
  tls_refused:
    'NATS does not offer TLS, or its certificate was refused, which is tried again. Check the address, and the certificate authority: GROUNDCTL_CA_FILE of the server, or the one that --authority gives to a machine',
  unreachable: 'NATS cannot be reached and is tried again',
};

/** Logs each change of a connection once, however many attempts have the same result. */
export function createConnectionLog(log: Log): (state: ConnectionState) => void {
  let last: ConnectionState | undefined;
  return (state) => {
    if (state === last) return;
    // Not a state that another one follows.
    if (state !== 'slow') last = state;
    log[state === 'connected' || state === 'closed' ? 'info' : 'warn']({ state }, messages[state]);
  };
}
