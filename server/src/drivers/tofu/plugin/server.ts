import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { frameMessage, grpcStatus, grpcType, type PluginProtocol, schemaMethods } from './protocol.ts';

export type SchemaServer = { close(): void };

/**
 * Serves the schema in place of a provider, a message as `requestSchema` returned it. Every other call is
 * unimplemented, which the tool accepts for the calls of a `show`.
 */
export function serveSchema(socket: string, protocol: PluginProtocol, schema: Buffer): Promise<SchemaServer> {
  const answer = frameMessage(schema);
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] === schemaMethods[protocol]) send(stream, answer);
    else refuse(stream);
  });
  const close = () => {
    server.close();
    for (const session of sessions) session.destroy();
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve({ close }));
  });
}

const head = { ':status': 200, 'content-type': grpcType };

function send(stream: ServerHttp2Stream, answer: Buffer): void {
  stream.respond(head, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': grpcStatus.ok }));
  stream.end(answer);
}

const refuse = (stream: ServerHttp2Stream): void =>
  stream.respond({ ...head, 'grpc-status': grpcStatus.unimplemented }, { endStream: true });
