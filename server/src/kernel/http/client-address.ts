import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressList } from '../address-list.ts';

type ClientRequest = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };

/** Strips a port and the brackets around an IPv6 address, which some proxies write. */
const bare = (text: string): string => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? (/^\d+(?:\.\d+){3}:\d+$/.test(text) ? text.slice(0, text.lastIndexOf(':')) : text);
};

/**
 * Creates a function that returns the client address of a request: the peer, or behind trusted proxies the address that
 * the outermost of them saw. `X-Forwarded-For` is read from its end, where our own proxy wrote; entries before the
 * first untrusted address are ignored, because a client can write them.
 */
export function createClientAddress(trusted: readonly string[]): (request: ClientRequest) => string {
  const isTrusted = addressList(trusted);
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrusted(peer)) return peer;
    let address = peer;
    for (const said of [forwarded].flat().join(',').split(',').reverse()) {
      const next = bare(said.trim());
      if (isIP(next) === 0) break;
      address = next;
      if (!isTrusted(next)) break;
    }
    return address;
  };
}

/**
 * Returns the rate-limit key of an address: an IPv4 address, also when written as IPv6, or the /64 of an IPv6 address,
 * which one household has.
 */
export function addressKey(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.replace(/%.*$/, '').split('::');
  const leading = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  const groups =
    tail === undefined
      ? leading
      : [...leading, ...Array(Math.max(0, 8 - leading.length - back.length)).fill('0'), ...back];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
