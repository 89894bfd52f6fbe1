import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { grpcStatus, grpcType } from './protocol.ts';

/** Error codes and a flag of HTTP/2 (RFC 9113). */
const noError = 0;
const internalError = 2;
const cancelled = 8;
const endStream = 1;

/**
 * Passes one call to a process and its answer back, with all bytes, its status and its end unchanged. Resolves when the call is over.
 * When the process ends before it answers, the caller receives the status `unavailable`.
 */
export function forwardCall(
  caller: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  session: ClientHttp2Session,
): Promise<void> {
  if (session.destroyed || session.closed || caller.destroyed) {
    refuse(caller, grpcStatus.unavailable);
    return Promise.resolve();
  }
  const call = session.request(headers);
  const send = (part: () => void): void => {
    try {
      part();
    } catch {
      // The library does not send every header that it receives.
      caller.close(internalError);
    }
  };
  caller.pipe(call);
  call.on('error', () => {});
  call.on('response', (answer, flags) => send(() => passAnswer(caller, call, { answer, flags, send })));
  caller.once('close', () => call.close(cancelled));
  return new Promise((resolve) => {
    call.once('close', () => {
      if (!caller.headersSent) refuse(caller, grpcStatus.unavailable);
      else if (call.rstCode !== noError || !call.readableEnded) caller.close(call.rstCode || internalError);
      resolve();
    });
  });
}

type Answer = { answer: IncomingHttpHeaders; flags: number; send(part: () => void): void };

function passAnswer(caller: ServerHttp2Stream, call: ClientHttp2Stream, { answer, flags, send }: Answer): void {
  if (caller.destroyed) return;
  if ((flags & endStream) !== 0) {
    caller.respond(answer, { endStream: true });
    return;
  }
  let trailers: IncomingHttpHeaders = {};
  call.once('trailers', (received) => {
    trailers = received;
  });
  caller.respond(answer, { waitForTrailers: true });
  caller.once('wantTrailers', () => send(() => caller.sendTrailers(trailers)));
  call.pipe(caller);
}

const head = { ':status': 200, 'content-type': grpcType };

/** Answers a call with one message. */
export function sendMessage(caller: ServerHttp2Stream, message: Buffer): void {
  caller.respond(head, { waitForTrailers: true });
  caller.once('wantTrailers', () => caller.sendTrailers({ 'grpc-status': grpcStatus.ok }));
  caller.end(message);
}

/** Answers a call with a status and no message. */
export function refuse(caller: ServerHttp2Stream, status: string): void {
  if (caller.destroyed || caller.headersSent) return;
  caller.respond({ ...head, 'grpc-status': status }, { endStream: true });
}
