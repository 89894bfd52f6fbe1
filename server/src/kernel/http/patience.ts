import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ParserError } from './refusals.ts';

/**
 * Time limits of a connection, in milliseconds: for its headers, for a request, for a request of a long-running endpoint,
 * when idle, and the interval between checks.
 */
export type Patience = {
  headersMs: number;
  requestMs: number;
  longRequestMs: number;
  idleMs: number;
  checkIntervalMs: number;
};

/** The largest upload arrives in time on a connection of 1 Mbit/s. */
export const usualPatience: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  longRequestMs: 600_000,
  idleMs: 120_000,
  checkIntervalMs: 1_000,
};

type RefuseTimeout = (error: ParserError, socket: Socket) => void;

const isLongRunning = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.endpoint?.longRunning === true;

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Ends the connection when the body is incomplete after the time of ordinary requests. */
function limitBodyTime({ raw }: FastifyRequest, requestMs: number, refuseTimeout: RefuseTimeout): void {
  const expire = () => {
    if (raw.complete) return;
    refuseTimeout(
      Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT', url: raw.url }),
      raw.socket,
    );
  };
  const timer = setTimeout(expire, requestMs);
  timer.unref();
  for (const end of ['end', 'close']) raw.once(end, () => clearTimeout(timer));
}

/**
 * Applies the time limits that depend on the endpoint. Node's server has one limit for all requests, so it has that of
 * long-running ones. A long-running handler may also be silent for longer than an idle connection.
 */
export function installPatience(app: FastifyInstance, { requestMs }: Patience, refuseTimeout: RefuseTimeout): void {
  const idleTimes = new WeakMap<FastifyRequest, number>();
  app.addHook('onRequest', async (request) => {
    if (!isLongRunning(request) && hasBody(request)) limitBodyTime(request, requestMs, refuseTimeout);
  });
  app.addHook('preHandler', async (request) => {
    if (!isLongRunning(request)) return;
    idleTimes.set(request, request.raw.socket.timeout ?? 0);
    request.raw.socket.setTimeout(0);
  });
  app.addHook('onSend', async (request) => {
    const idleMs = idleTimes.get(request);
    if (idleMs !== undefined) request.raw.socket.setTimeout(idleMs);
  });
}
