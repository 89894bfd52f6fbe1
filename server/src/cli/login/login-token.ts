import { failed } from '../exit-codes.ts';
import { LineError } from '../line-error.ts';
import { IssuerRefusal, IssuerUnreachable, isFresh, openIssuer } from './issuer-client.ts';
import type { Logins, LoginTokens } from './stored-logins.ts';

/** The message for a login whose refresh token was revoked, spent or not used in time. */
export const loginEnded = (url: string): string =>
  `The login at ${url} has ended: it was revoked, or not used for 30 days. Run \`groundctl login ${url}\`.`;

/**
 * Returns the source of access tokens of a login. It renews a token before its end, once for all commands that run at
 * the same time: a refresh token is valid for one use. Throws `LineError` when the server does not answer.
 */
export function createLoginToken(logins: Logins, url: string): () => Promise<string> {
  let known: LoginTokens | undefined;
  let renewing: Promise<LoginTokens> | undefined;

  async function renew(): Promise<LoginTokens> {
    const stored = await logins.readTokens(url);
    if (stored && isFresh(stored)) return stored;
    return logins.alone(url, async () => {
      // Another command may have renewed it while this one waited.
      const [login, latest] = [logins.find(url), await logins.readTokens(url)];
      if (!login || !latest) throw failed('login_ended', loginEnded(url));
      if (isFresh(latest)) return latest;
      const next = await refresh(url, latest);
      await logins.save(login, next);
      return next;
    });
  }

  return async () => {
    if (known && isFresh(known)) return known.accessToken;
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    known = await renewing;
    return known.accessToken;
  };
}

async function refresh(url: string, tokens: LoginTokens): Promise<LoginTokens> {
  try {
    const issuer = await openIssuer(url);
    return await issuer.refresh(tokens);
  } catch (error) {
    if (error instanceof IssuerRefusal) throw failed('login_ended', loginEnded(url));
    if (error instanceof IssuerUnreachable) throw new LineError('The login cannot be renewed now.', { cause: error });
    throw error;
  }
}
