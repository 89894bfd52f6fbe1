import { GitError } from './git-error.ts';

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO|INVALID_CA|CRL_)/;
/** Names of the other side in messages. */
export type Peer = { server: string; address: string };
export const gitPeer: Peer = { server: 'Git server', address: 'Git URL' };

const messages: Record<string, (peer: Peer) => string> = {
  ENOTFOUND: ({ address }) => `The host of the ${address} does not exist. Check the address.`,
  EAI_AGAIN: ({ address }) => `The host of the ${address} could not be looked up. Check the network and try again.`,
  ECONNREFUSED: ({ server }) => `The ${server} refuses connections. Check the address and that the server is running.`,
  ECONNRESET: ({ server }) => `The ${server} closed the connection before its answer was whole. Try again.`,
  ERR_PROXY_TUNNEL: () => 'The HTTPS proxy did not let the connection through. Check the proxy setting.',
};

/** Converts a socket error to a `GitError`; a `GitError` is returned unchanged. */
export function asGitError(error: unknown, peer: Peer = gitPeer): Error {
  if (error instanceof GitError) return error;
  const code = String((error as NodeJS.ErrnoException)?.code ?? '');
  if (tlsCodes.test(code)) {
    return new GitError(
      'source_tls_failed',
      `The certificate of the ${peer.server} is not trusted (${code}). Check the address, or add its authority to the CA file.`,
    );
  }
  if (code.startsWith('HPE_')) {
    return new GitError('source_not_git', 'What answers at this address does not speak HTTP. Check the address.');
  }
  if ((error as Error)?.name === 'AbortError') return error as Error;
  return new GitError(
    'source_unreachable',
    messages[code]?.(peer) ?? `The ${peer.server} cannot be reached (${code || 'no reason'}).`,
  );
}

/** Returns the error for an HTTP status other than 200 of a Git request, or undefined for a redirect. */
export function failureOfStatus(status: number, hasCredential: boolean): GitError | undefined {
  if (status >= 300 && status < 400) return undefined;
  if (status === 401 || status === 403) {
    const advice = hasCredential
      ? 'The Git server does not accept the user name and token of the connection. Renew them.'
      : 'The Git server asks for a sign-in. Give the source a connection with a token.';
    return new GitError('source_auth_failed', advice);
  }
  if (status === 404 || status === 410) {
    return new GitError(
      'source_not_git',
      'No Git repository at this address. Check the address and the permissions of the token.',
    );
  }
  if (status === 429)
    return new GitError('source_unreachable', 'The Git server has too many requests. Try again later.');
  return new GitError('source_unreachable', `The Git server answers with HTTP status ${status}. Try again later.`);
}
