import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerEvent, serverEvents } from './server-events.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server?.listening === true) await once(server, 'close');
});

/** A stream that sends these pieces one by one, each in a separate packet. */
async function stream(pieces: readonly string[], status = 200): Promise<string> {
  server = createServer(async (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) await new Promise<void>((done) => response.write(piece, () => setImmediate(done)));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function collect(pieces: readonly string[], status = 200): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of serverEvents({ url: await stream(pieces, status), token: 'token' })) events.push(event);
  return events;
}

describe('a stream of server events', () => {
  it('gives each event with its id and its data', async () => {
    const events = await collect([
      'id: 1\nevent: log\ndata: {"text":"a"}\n\nid: 2\nevent: end\ndata: {"status":"ok"}\n\n',
    ]);
    expect(events).toEqual([
      { event: 'log', id: '1', data: { text: 'a' } },
      { event: 'end', id: '2', data: { status: 'ok' } },
    ]);
  });

  it('reports the body of an error response', async () => {
    await expect(collect(['{"error":{"code":"not_found"}}'], 404)).rejects.toThrow('404: {"error"');
  });
});
