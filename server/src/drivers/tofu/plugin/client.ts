import type { ClientHttp2Session } from 'node:http2';
import { createConnection } from 'node:net';
import {
  frameMessage,
  grpcStatus,
  grpcType,
  type PluginProtocol,
  readFrame,
  schemaMethods,
  shutdownMethod,
} from './protocol.ts';

/**
 * Limit for one answer, in bytes. The tool's own limit is four times as large; the largest known schemas use a fifth of
 * this.
 */
const answerMaxBytes = 67_108_864;

const nothing = frameMessage(new Uint8Array());

/**
 * Requests the schema of a provider that listens at a Unix socket, and then asks it to end. Returns the message as it
 * was sent, or undefined when none was received. The call ends with the provider.
 */
export async function requestSchema(socket: string, protocol: PluginProtocol): Promise<Buffer | undefined> {
  const session = await connectProvider(socket);
  try {
    const answer = await call(session, schemaMethods[protocol]);
    await call(session, shutdownMethod);
    return answer;
  } finally {
    session.destroy();
  }
}

/** Bytes that a connection may hold in memory, in MiB. */
const sessionMaxMegabytes = 256;

/** Connects to a provider that listens at a Unix socket. A connection that fails or ends is destroyed. */
export async function connectProvider(socket: string): Promise<ClientHttp2Session> {
  // Loaded when it is needed, as by the server.
  const { connect } = await import('node:http2');
  // The host is never resolved: the connection already exists.
  const session = connect('http://localhost', {
    createConnection: () => createConnection(socket),
    maxSessionMemory: sessionMaxMegabytes,
  });
  session.on('error', () => {});
  return session;
}

/** Makes one call with an empty message; returns undefined when it failed. */
function call(session: ClientHttp2Session, path: string): Promise<Buffer | undefined> {
  if (session.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': grpcType, te: 'trailers' });
    const chunks: Buffer[] = [];
    let size = 0;
    let status: unknown;
    stream.on('response', (headers) => {
      status = headers['grpc-status'];
    });
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'];
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > answerMaxBytes) stream.destroy();
      else chunks.push(chunk);
    });
    stream.on('error', () => {});
    stream.on('close', () => resolve(status === grpcStatus.ok ? readFrame(Buffer.concat(chunks)) : undefined));
    session.once('close', () => stream.destroy());
    stream.end(nothing);
  });
}
