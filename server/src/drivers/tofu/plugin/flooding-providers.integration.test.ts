import { createServer as createSocketServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  call,
  newSocket,
  onCleanup,
  prepareRelays,
  processesAt,
  relayTo,
  statusOf,
} from '../../../../test/relay-harness.ts';

prepareRelays();

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
};

const settings = frame(4, 0, 0, Buffer.alloc(0));
/** HPACK of `:status: 200`, and of a name that this side never sends. */
const status200 = Buffer.from([0x88]);
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x10, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

/** HPACK of the headers of a pushed request. */
const pushed = (id: number): Buffer => {
  const promised = Buffer.alloc(4);
  promised.writeUInt32BE(id, 0);
  return Buffer.concat([promised, Buffer.from([0x82, 0x86, 0x84, 0x41, 1]), Buffer.from('a')]);
};

/** Starts a peer that writes bytes of its own at each call, as often as the connection takes them. */
async function startFlood(
  bytes: (round: number) => Buffer,
  rounds: number,
): Promise<{ socket: string; written(): number }> {
  let written = 0;
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    let round = 0;
    const write = (): void => {
      for (; round < rounds && !socket.destroyed; round += 1) {
        const chunk = bytes(round);
        written += chunk.length;
        if (socket.write(chunk)) continue;
        round += 1;
        socket.once('drain', write);
        return;
      }
      socket.end();
    };
    socket.write(settings);
    let seen = 0;
    // The first call has been received once its HEADERS and DATA have.
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen > 120 && round === 0) write();
    });
  });
  const socket = newSocket();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onCleanup(() => server.close());
  return { socket, written: () => written };
}

describe('a provider that floods the connection', () => {
  const rounds = 3_000;
  test.each<[string, (round: number) => Buffer]>([
    [
      'headers',
      () => frame(1, 4, 1, Buffer.concat([Buffer.from([0x48, 3]), Buffer.from('103'), literal('x', 'y'.repeat(100))])),
    ],
    ['pings', () => frame(6, 0, 0, Buffer.alloc(8))],
    ['settings', () => settings],
    ['empty data', () => frame(0, 0, 1, Buffer.alloc(0))],
    ['data of no call', () => frame(0, 0, 99, Buffer.alloc(10_000))],
    [
      'pushed calls',
      (round) =>
        Buffer.concat([
          frame(5, 4, 1, pushed(2 + round * 2)),
          frame(1, 4, 2 + round * 2, status200),
          frame(0, 0, 2 + round * 2, Buffer.alloc(9_000)),
        ]),
    ],
    ['window updates', () => frame(8, 0, 0, Buffer.from([0, 0, 0, 1]))],
    [
      'an unknown header list',
      () =>
        frame(
          1,
          4,
          1,
          Buffer.concat([
            status200,
            ...Array.from({ length: 2_000 }, (_, n) => literal(`x${n}`, 'y'.repeat(50))),
          ]).subarray(0, 16_000),
        ),
    ],
    ['resets', () => frame(3, 0, 1, Buffer.from([0, 0, 0, 2]))],
    ['noise', () => Buffer.alloc(1_000, 'noise')],
  ])('with %s takes bounded memory, and the relay goes on', async (_what, bytes) => {
    const flood = await startFlood(bytes, rounds);
    const { caller } = await relayTo(await processesAt(flood.socket));
    global.gc?.();
    const before = process.memoryUsage().rss;
    const answer = await call(caller, 'ReadResource');
    expect(answer.reset !== 0 || statusOf(answer) === '14').toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(statusOf(await call(caller, 'GetProviderSchema'))).toBe('0');
  });

  test.each<[string, Buffer]>([
    [
      'headers',
      Buffer.concat([
        frame(1, 4, 1, Buffer.concat([status200, literal('http2-settings', 'x')])),
        frame(1, 5, 1, literal('grpc-status', '0')),
      ]),
    ],
    [
      'trailers',
      Buffer.concat([
        frame(1, 4, 1, status200),
        frame(1, 5, 1, Buffer.concat([literal('grpc-status', '0'), literal('http2-settings', 'x')])),
      ]),
    ],
  ])('or sends %s that may not be sent is answered for', async (_what, bytes) => {
    const flood = await startFlood(() => bytes, 1);
    const { caller } = await relayTo(await processesAt(flood.socket));
    const answer = await call(caller, 'ReadResource');
    expect(answer.reset !== 0 || statusOf(answer) === '14').toBe(true);
    expect(statusOf(await call(caller, 'GetProviderSchema'))).toBe('0');
  });
});
