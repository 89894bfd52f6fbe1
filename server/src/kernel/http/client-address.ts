import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressList } from '../address-list.ts';

type ClientRequest = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };

/** A port and the brackets around an IPv6 address are left out, as some proxies write them. */
const bare = (text: string): string => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? (/^\d+(?:\.\d+){3}:\d+$/.test(text) ? text.slice(0, text.lastIndexOf(':')) : text);
};

/**
 * Where requests come from: the peer, or behind trusted proxies what the outermost of them saw. `X-Forwarded-For` is
 * read from its end, where our own proxy wrote; what stands before the first address that nobody trusts is hearsay.
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

/** What counts as one address: an IPv4 address, also when it is written as IPv6, and a /64 of IPv6, which one household has. */
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
