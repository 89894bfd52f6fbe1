import { randomBytes, timingSafeEqual } from 'node:crypto';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { sha256Hex } from '#server/kernel/digest';
import { tokenPrefixes } from '#shared/vendor';
import { currentRequest } from './current-request.ts';

// biome-ignore lint/suspicious/noExplicitAny: the library has no types for its models' own methods
type Model = any;

/** Uses the session of the product. The library's own session would be a second one, which no sign-out ends. */
export function installSessions(provider: Provider): void {
  const Session = provider.Session as Model;
  Session.get = async (ctx: KoaContextWithOIDC) => {
    const { person } = currentRequest.getStore() ?? {};
    const session = person
      ? Session.instantiate({
          accountId: person.accountId,
          loginTs: Math.floor(person.signedInAt / 1_000),
          uid: person.sessionId,
          jti: person.sessionId,
        })
      : Session.instantiate();
    if (ctx.oidc) ctx.oidc.entity('Session', session);
    return session;
  };
  Session.prototype.save = async () => '';
  Session.prototype.persist = async () => '';
}

/** Only hashes of client secrets are known. */
export function installHashedSecrets(provider: Provider): void {
  (provider.Client as Model).prototype.compareClientSecret = function compare(actual: string): boolean {
    const expected = Buffer.from(String(this.clientSecret));
    const sent = Buffer.from(sha256Hex(actual));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  };
}

/**
 * Every client has pairwise subjects. They are registered as public ones, because the library derives the sector of
 * several redirects from a document at the client (OpenID Connect Core 1.0, 8.1), and here the ports know it.
 */
export function installPairwiseSubjects(provider: Provider): void {
  const Client = provider.Client as Model;
  const find = Client.find.bind(Client);
  Client.find = async (id: string) => {
    const client = await find(id);
    if (client) client.subjectType = 'pairwise';
    return client;
  };
}

/** Tokens begin with the product's prefixes, so that a scanner of secrets recognizes them. */
export function installTokenPrefixes(provider: Provider): void {
  const prefixes = { AccessToken: tokenPrefixes.access, RefreshToken: tokenPrefixes.refresh };
  for (const [name, prefix] of Object.entries(prefixes)) {
    const { prototype } = provider[name as 'AccessToken'] as Model;
    prototype.generateTokenId = function generate(): string {
      this.format = 'opaque';
      return prefix + randomBytes(32).toString('base64url');
    };
  }
}
