import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorStatus } from '#shared/errors';
import { formCodeOf, formStatusOf, isRetryable } from '#shared/form-errors';
import { vendor } from '#shared/vendor';
import { isDiskFault } from '../disk.ts';
import { AppError, type RefusalPage, readOnlyMessage } from '../errors.ts';
import { faultFields, type Log } from '../log.ts';
import { refusalPage } from './refusal-page.ts';

/** Challenge of every 401 (RFC 6750, 3). */
export const challenge = `Bearer realm="${vendor}"`;

/** Headers of every answer. */
export const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cache-control': 'no-store',
};

/** Codes for errors that Fastify raises before a handler runs. */
const frameworkCodes: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['request_too_large', 'The body is larger than this route accepts. Send less.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The length of the body differs from its Content-Length. Correct the header.',
  ],
};

/** Turns any error into the one that the caller may see. An unexpected error is logged and returned without details. */
export function asAppError(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : frameworkCodes[code];
  if (known) return new AppError(...known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('invalid_request', 'The request cannot be read.');
  if (isDiskFault(error)) {
    log.error(faultFields(error), 'a request met a disk that is full or failing');
    return new AppError('ledger_read_only', readOnlyMessage);
  }
  log.error(faultFields(error), 'a request failed unexpectedly');
  return new AppError(
    'internal_error',
    'Something went wrong on the server. Its log has the details under this request id.',
  );
}

const envelope = (error: AppError, requestId: string) => ({
  error: { code: error.code, message: error.message, requestId, ...(error.details && { details: error.details }) },
});

/** The envelope of the form host protocol. `hostCode` is the code that the same refusal has elsewhere on this server. */
function formEnvelope({ code, message, status, details }: AppError, requestId: string) {
  const formCode = formCodeOf(code, status);
  const retryable = isRetryable(formCode);
  return {
    status: formStatusOf(formCode, status),
    body: {
      error: {
        code: formCode,
        message,
        requestId,
        retryable,
        ...(formCode !== code && { hostCode: code }),
        ...(details && { details }),
      },
    },
  };
}

/** Reports whether the client gets an error as a page: every client except a program that accepts only JSON. */
const wantsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  !accept.includes('application/json') || accept.includes('text/html');

/** Reports whether a person typed an address or followed a link; programs and scripts of pages do not send this mode. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['sec-fetch-mode'] === 'navigate' &&
  (headers.accept ?? '').includes('text/html');

function pageOf(request: FastifyRequest, error: AppError): RefusalPage | undefined {
  if (error.page) return wantsPage(request) ? error.page : undefined;
  if (!isNavigation(request)) return undefined;
  return refusalPage(error, { requestId: request.id, acceptLanguage: request.headers['accept-language'] ?? '' });
}

/** Returns the challenge of a 401. A caller whose credential was accepted has presented one, even when another part was refused. */
const challengeOf = ({ caller }: FastifyRequest, { code }: AppError): string =>
  (caller?.principal.kind ?? 'public') === 'public' ? challenge : `${challenge}, error="${code}"`;

/** Sends the error envelope, with the challenge of a 401, or the error page. */
export function refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  if (error.status === 401) reply.header('www-authenticate', challengeOf(request, error));
  if (error.details?.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(error.details.retryAfterSeconds));
  reply.headers(error.headers);
  if (request.server.isForFormHost(request)) {
    const { status, body } = formEnvelope(error, request.id);
    return reply.code(status).type('application/json; charset=utf-8').send(body);
  }
  reply.code(error.status);
  const page = pageOf(request, error);
  if (page)
    return reply.header('content-security-policy', page.policy).type('text/html; charset=utf-8').send(page.html);
  return reply.type('application/json; charset=utf-8').send(envelope(error, request.id));
}

export function installErrorHandler(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => refuse(request, reply, asAppError(error, log)));
}

const parserRefusals: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Error of the HTTP parser with the refused bytes, or of a request that took too long with its address, when known. */
export type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; url?: string | undefined };

/** Returns the method and the start of the address of the request line that the refused bytes start with, if they do. */
function requestLineOf({ rawPacket, url = '' }: ParserError): { method: string; url: string } {
  const line = /^([A-Z]+) (\/[^ \r\n?]*)/.exec(rawPacket?.subarray(0, 1_024).toString('latin1') ?? '');
  return { method: line?.[1] ?? rawPacket?.subarray(0, 5).toString('latin1').trimEnd() ?? '', url: line?.[2] ?? url };
}

/**
 * Answers requests that the HTTP parser refuses, before Fastify has a request object. The answer to HEAD has no content
 * (RFC 9110, 9.3.2).
 */
export function refuseRaw(
  error: ParserError,
  socket: { writable: boolean; end(text: string): void; destroy(): void },
  rules: { headers: Readonly<Record<string, string>>; isFormHost: (url: string) => boolean },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const code = parserRefusals[error.code ?? ''] ?? 'invalid_request';
  const requestId = randomUUID();
  const { method, url } = requestLineOf(error);
  const refusal = new AppError(code, 'The request cannot be read.');
  const body = JSON.stringify(
    rules.isFormHost(url) ? formEnvelope(refusal, requestId).body : envelope(refusal, requestId),
  );
  const headers = {
    ...fixedHeaders,
    ...rules.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${errorStatus[code]} ${code.replaceAll('_', ' ')}\r\n${lines.join('')}\r\n${method === 'HEAD' ? '' : body}`,
  );
}
