import { randomBytes } from 'node:crypto';
import { type IssuedSession, tokenHashOf } from '#server/domains/identity/index';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import { Email } from '#shared/kernel/scalars';
import type { SignInError } from '#shared/signin/api';
import type { Vouched } from './external.ts';
import { type Challenge, type Claims, createOidcClient, type OidcClient } from './oidc-client.ts';
import type { Provider } from './providers.ts';

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;
/** Redirect target of the browser, with the state that it carries. */
type Onward = { location: string; issued?: IssuedSession };

type PendingAuthorization = Challenge & {
  providerId: string;
  binding: string;
  origin: string;
  back: string;
  expiresAt: number;
};
type Deps = {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  providers: readonly Provider[];
  signIn: (who: Vouched, by: { autoProvision: boolean; userAgent: string | undefined }) => IssuedSession;
};
type Return = { state: string | undefined; search: string; binding: string | undefined; userAgent: string | undefined };

const lifeMs = 600_000;
const maxPending = 1_000;
export const flowSeconds = lifeMs / 1_000;

/**
 * Sign-in at a provider. A pending authorization is kept in memory, by the hash of its state. It is used once and only
 * by the browser that started it, so that no user is signed in as another (RFC 9700, 4.7). After a restart the sign-in
 * has to start again.
 */
export function createOidcSignIn({ clock, log, providers, signIn }: Deps) {
  const clients = new Map<string, OidcClient>(
    providers.map((provider) => [provider.id, createOidcClient(provider, clock.now)]),
  );
  const pendingAuthorizations = new Map<string, PendingAuthorization>();

  function remember(value: PendingAuthorization): void {
    const now = clock.now();
    for (const [key, { expiresAt }] of pendingAuthorizations) if (expiresAt <= now) pendingAuthorizations.delete(key);
    const [oldest] = pendingAuthorizations.keys();
    if (pendingAuthorizations.size >= maxPending && oldest !== undefined) pendingAuthorizations.delete(oldest);
    pendingAuthorizations.set(tokenHashOf(value.state), value);
  }

  /**
   * Returns the authorization that a state refers to, for the browser that holds the cookie, and invalidates the state.
   */
  function take(providerId: string, { state, binding }: Return): PendingAuthorization | undefined {
    if (state === undefined) return undefined;
    const key = tokenHashOf(state);
    const value = pendingAuthorizations.get(key);
    if (value?.providerId !== providerId || binding === undefined) return undefined;
    if (value.binding !== tokenHashOf(binding)) return undefined;
    pendingAuthorizations.delete(key);
    return value.expiresAt > clock.now() ? value : undefined;
  }

  const clientOf = ({ id }: Provider): OidcClient => {
    const match = clients.get(id);
    if (!match) throw new Error(`no client for the provider ${id}`);
    return match;
  };

  return {
    /** Returns the authorization URL of the provider, and the value that the browser has to return in a cookie. */
    async start(provider: Provider, { origin, back }: { origin: string; back: string | undefined }) {
      try {
        const { url, challenge } = await clientOf(provider).start(callbackOf(origin, provider));
        const binding = randomBytes(32).toString('base64url');
        const expiresAt = clock.now() + lifeMs;
        remember({
          ...challenge,
          providerId: provider.id,
          binding: tokenHashOf(binding),
          origin,
          back: back ?? '/',
          expiresAt,
        });
        return { location: url, binding };
      } catch (error) {
        log.warn({ providerId: provider.id, ...faultFields(error) }, 'a sign-in provider cannot be used');
        return { location: failed('provider_error').location, binding: undefined };
      }
    },

    /** Exchanges the provider's response; returns the write that signs in and yields the redirect target. */
    async finish(provider: Provider, input: Return): Promise<() => Onward> {
      const value = take(provider.id, input);
      if (!value) return () => failed('state_invalid');
      const callback = new URL(`${callbackOf(value.origin, provider)}?${input.search}`);
      try {
        const claims = await clientOf(provider).finish(callback, value);
        return () => enter(claims, value.back);
      } catch (error) {
        log.warn({ providerId: provider.id, ...faultFields(error) }, 'a sign-in at a provider failed');
        return () => failed('provider_error');
      }

      function enter(claims: Claims, back: string): Onward {
        const by = { autoProvision: provider.autoProvision, userAgent: input.userAgent };
        try {
          return { location: back, issued: signIn(vouchedOf(claims), by) };
        } catch (error) {
          if (error instanceof AppError && error.code === 'login_not_allowed') return failed('login_not_allowed');
          throw error;
        }
      }
    },
  };
}

const failed = (why: SignInError): Onward => ({ location: `/sign-in?error=${why}` });

const callbackOf = (origin: string, { id }: Provider): string => `${origin}/api/v1/auth/oidc/${id}/callback`;

/** Returns the vouched identity. An e-mail that is unverified or invalid by our own rule is left out. */
function vouchedOf({ issuer, subject, email, isEmailVerified, name }: Claims): Vouched {
  const parsed = Email.safeParse(email);
  return {
    issuer,
    externalSubject: subject,
    verifiedEmail: isEmailVerified && parsed.success ? parsed.data : undefined,
    displayName: name,
  };
}
