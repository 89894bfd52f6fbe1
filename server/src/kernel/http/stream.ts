import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#shared/limits';
import { AppError } from '../errors.ts';
import { actorOf, type Caller } from './caller.ts';

/** An answer that is written in pieces. */
export type Streamed = {
  stream: {
    contentType: string;
    /** Starts writing; `signal` aborts when the client disconnects or the server stops. */
    start(
      out: { write(text: string): boolean; end(): void; onDrain(work: () => void): void },
      signal: AbortSignal,
    ): void;
  };
};

type OpenStream = { account: string; finish: () => void; mayRead: () => boolean };
const open = new Set<OpenStream>();

/** Ends all open streams, so that a stopping server does not wait for readers. */
export function endStreams(): void {
  for (const { finish } of open) finish();
  for (const end of transfers) end();
}

const transfers = new Set<() => void>();

/** Registers a transfer that a stopping server ends. Returns the function for its regular end. */
export function endWithServer(end: () => void): () => void {
  transfers.add(end);
  return () => void transfers.delete(end);
}

/** Ends the streams whose readers lost access, because a session ended or a member lost a role. */
export function endDeniedStreams(): void {
  for (const { finish, mayRead } of open) if (!mayRead()) finish();
}

/**
 * Requires that the account has fewer streams than the limit: enough for the tabs and followed logs of one person, few
 * enough to leave connections for others.
 */
function requireFewStreams(account: string): void {
  const most = limits.eventStreamsPerAccount;
  const count = [...open].filter((one) => one.account === account).length;
  if (count >= most)
    throw new AppError('rate_limited', `Your account has ${most} streams of events open already. Close some of them.`, {
      details: { retryAfterSeconds: limits.sseHeartbeatSeconds },
    });
}

/**
 * Sends a stream for as long as the caller may read it; it ends after a sign-out or when the caller leaves the
 * Workspace. Throws 429 `rate_limited` when the account has too many streams.
 */
export function sendStream(
  { request, reply, mayRead }: { request: FastifyRequest; reply: FastifyReply; mayRead: () => boolean },
  { stream }: Streamed,
): FastifyReply {
  const account = actorOf(request.caller);
  if (request.method !== 'HEAD') requireFewStreams(account);
  const raw = reply.raw;
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': stream.contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  raw.writeHead(200, headers as Record<string, string>);
  if (request.method === 'HEAD') {
    raw.end();
    return reply;
  }
  raw.flushHeaders();
  const gone = new AbortController();
  const stop = () => {
    open.delete(self);
    gone.abort();
  };
  const finish = () => raw.end(stop);
  const self = { account, finish, mayRead };
  open.add(self);
  raw.on('close', stop);
  // A reader that disconnects during a write needs no further handling.
  raw.on('error', stop);
  const write = (text: string): boolean => {
    if (raw.writableEnded) return true;
    if (mayRead()) return raw.write(text);
    finish();
    return true;
  };
  stream.start({ write, end: finish, onDrain: (work) => void raw.once('drain', work) }, gone.signal);
  return reply;
}

/** Formats one server-sent event. Without an id the reader's position does not change. */
export const sseEvent = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Returns the id after which a stream starts: `Last-Event-ID` of the reader (HTML Living Standard, 9.2.4), else the
 * query. Undefined when neither is set.
 */
export function findStartPosition(caller: Pick<Caller, 'lastEventId'>, after: number | undefined): number | undefined {
  if (caller.lastEventId === undefined) return after;
  if (/^[0-9]{1,12}$/.test(caller.lastEventId)) return Number(caller.lastEventId);
  throw new AppError('invalid_request', 'Last-Event-ID must be the id of an event of this stream.');
}
