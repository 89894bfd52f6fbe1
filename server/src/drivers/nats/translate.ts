import { NatsError } from './nats-error.ts';

const byName: Readonly<Record<string, NatsError['reason']>> = {
  AuthorizationError: 'denied',
  ClosedConnectionError: 'closed',
  DrainingConnectionError: 'closed',
  NoResponders: 'no_answer',
  PermissionViolationError: 'denied',
  TimeoutError: 'timeout',
  UserAuthenticationExpiredError: 'denied',
};
const certificateCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
/** Errors of the API of streams that say that a limit is reached. */
const fullCodes: ReadonlySet<number> = new Set([10_047, 10_077]);
/** Errors of the API of streams that say that a consumer or stream does not exist. */
const missingCodes: ReadonlySet<number> = new Set([10_014, 10_059]);

/** Errors that say that a stream needs more members than answer, or a cluster where there is none. */
const replicaCodes: ReadonlySet<number> = new Set([10_005, 10_074]);

type LibraryError = { name?: string; code?: unknown; message?: string; cause?: unknown };

/** Translates an error of the NATS client. Its own text is kept as the cause only. */
export function translated(error: unknown): NatsError {
  if (error instanceof NatsError) return error;
  return new NatsError(reasonOf((error ?? {}) as LibraryError), { cause: error });
}

function reasonOf({ name = '', code, message = '', cause }: LibraryError): NatsError['reason'] {
  const known = byName[name];
  if (known) return known;
  if (typeof code === 'string' && certificateCodes.test(code)) return 'tls_refused';
  if (typeof code === 'number' && fullCodes.has(code)) return 'stream_full';
  if (typeof code === 'number' && replicaCodes.has(code)) return 'replicas_unavailable';
  if (typeof code === 'number' && (missingCodes.has(code) || isMissingQueue({ name, code, message })))
    return 'queue_missing';
  if (message.includes("does not support 'tls'")) return 'tls_refused';
  if (name === 'RequestError' && cause) return reasonOf(cause as LibraryError);
  return name === 'AbortError' ? 'timeout' : 'unreachable';
}

/** Reports whether a wait for messages ended because its consumer does not exist, or was deleted. */
const isMissingQueue = ({ name, code, message = '' }: LibraryError): boolean =>
  name === 'JetStreamStatusError' && (code === 503 || (code === 409 && /\bdeleted$/i.test(message)));
