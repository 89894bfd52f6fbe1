import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { parseGitUrl } from '#shared/sources/git-address';
import { classifyHost } from '#shared/sources/network-address';
import { refused } from './git-error.ts';
import type { GitAccess } from './git-types.ts';
import { gitPeer, type Peer } from './http-failure.ts';

const notAllowed = ({ address }: Peer) =>
  refused(
    `The host of the ${address} leads to a loopback, link-local, metadata or reserved address, which is not allowed.`,
  );

/**
 * Resolver for sockets that fails unless every address of a name may be connected to. It returns the addresses that the
 * socket then uses, so a name cannot change between check and connect (DNS rebinding).
 */
export const guardedLookup =
  (access: Pick<GitAccess, 'allowLoopback'>, peer: Peer = gitPeer): LookupFunction =>
  (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const kinds = addresses.map(({ address }) => classifyHost(address));
      const isAllowed = kinds.every((kind) => kind === 'ordinary' || (kind === 'loopback' && access.allowLoopback));
      const [first] = addresses;
      if (!isAllowed || !first) return callback(notAllowed(peer), '', 0);
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };

/** Refuses a redirect from https to http, or to an address that a Git URL may not name. `to` has no query. */
export function checkRedirect(from: URL, to: URL, access: GitAccess, peer: Peer = gitPeer): void {
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw refused(`The ${peer.server} redirects from https to an unprotected address, which is not followed.`);
  }
  const parsed = parseGitUrl(`${to.protocol}//${to.username || to.password ? '@' : ''}${to.host}${to.pathname}`, {
    allowLoopback: access.allowLoopback,
    allowLocal: false,
  });
  if (!parsed.ok) throw refused(`The ${peer.server} redirects to an address that is not allowed. ${parsed.message}`);
}
