import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestSchema } from './client.ts';
import { frameMessage } from './protocol.ts';
import { serveProvider } from './server.ts';

let dir: string;
const socket = () => path.join(dir, 's');
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plugin-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('requests the served bytes of any size, and only under their protocol', async () => {
  const schema = Buffer.alloc(3_000_000, 'schema');
  const server = await serveProvider(socket(), { protocol: 5, schema });
  expect((await requestSchema(socket(), 5))?.equals(schema)).toBe(true);
  expect(await requestSchema(socket(), 6)).toBeUndefined();
  server.close();
});

test.each<[string, (stream: ServerHttp2Stream) => void]>([
  ['answers an error', (stream) => stream.respond({ ':status': 200, 'grpc-status': '13' }, { endStream: true })],
  [
    'answers without a status',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(frameMessage(Buffer.from('x')));
    },
  ],
  [
    'ends in the middle',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write(frameMessage(Buffer.alloc(9_000)).subarray(0, 100), () => stream.session?.destroy());
    },
  ],
  ['is not an HTTP/2 server', (stream) => stream.session?.socket.destroy()],
])('returns no schema of a provider that %s', async (_what, answer) => {
  const server = createServer();
  server.on('sessionError', () => {});
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    answer(stream);
  });
  await new Promise<void>((resolve) => server.listen(socket(), resolve));
  expect(await requestSchema(socket(), 6)).toBeUndefined();
  server.close();
});

test('returns no schema when nothing listens', async () => {
  expect(await requestSchema(socket(), 6)).toBeUndefined();
});
