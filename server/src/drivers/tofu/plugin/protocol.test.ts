import { describe, expect, it } from 'vitest';
import { frameMessage, parseHandshake, readFrame, reattachProviders } from './protocol.ts';

describe('parseHandshake', () => {
  it.each([
    ['1|6|unix|/tmp/plugin1|grpc|', { protocol: 6, socket: '/tmp/plugin1' }],
    ['1|5|unix|/tmp/plugin1|grpc\r', { protocol: 5, socket: '/tmp/plugin1' }],
    // Newer providers report whether they multiplex.
    ['1|6|unix|/tmp/plugin1|grpc||false', { protocol: 6, socket: '/tmp/plugin1' }],
  ])('reads %j', (line, handshake) => expect(parseHandshake(line)).toEqual(handshake));

  it.each([
    '',
    'hello',
    '1|6|tcp|127.0.0.1:9|grpc|',
    '1|4|unix|/tmp/p|other|',
    '2|6|unix|/tmp/p|grpc|',
    '1|6|unix|/tmp/p|grpc|cert',
    '1|6|unix||grpc|',
  ])('reads nothing of %j', (line) => expect(parseHandshake(line)).toBeUndefined());
});

it('frames one message, and rejects an answer that is compressed, cut short or longer', () => {
  const message = Buffer.from('schema');
  const framed = frameMessage(message);
  expect(readFrame(framed)).toEqual(message);
  const compressed = Buffer.from(framed);
  compressed[0] = 1;
  for (const answer of [compressed, framed.subarray(0, -1), Buffer.concat([framed, framed]), Buffer.alloc(3)])
    expect(readFrame(answer)).toBeUndefined();
});

it('lists the providers that already listen', () => {
  const value = reattachProviders([{ address: 'registry.opentofu.org/test/fake', protocol: 6, socket: '/a/0' }]);
  expect(JSON.parse(value)).toEqual({
    'registry.opentofu.org/test/fake': {
      Protocol: 'grpc',
      ProtocolVersion: 6,
      Pid: 1,
      Test: true,
      Addr: { Network: 'unix', String: '/a/0' },
    },
  });
});
