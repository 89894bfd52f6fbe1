import * as client from 'openid-client';
import type { Provider } from './providers.ts';

/** State kept between the redirect to a provider and its callback. */
export type Challenge = { state: string; nonce: string; verifier: string };
/** Verified claims of the provider about a user. */
export type Claims = {
  issuer: string;
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
};

const timeoutSeconds = 15;
/** Time after which the keys and endpoints of a provider are fetched again. */
const freshMs = 3_600_000;

export type OidcClient = ReturnType<typeof createOidcClient>;

/** The protocol with one provider: authorization code with PKCE S256, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 7636). */
export function createOidcClient(provider: Provider, now: () => number) {
  let known: { config: Promise<client.Configuration>; at: number } | undefined;

  function configuration(): Promise<client.Configuration> {
    if (known && now() - known.at < freshMs && now() >= known.at) return known.config;
    const config = discover(provider);
    known = { config, at: now() };
    // A provider that could not be reached is requested again next time.
    config.catch(() => {
      if (known?.config === config) known = undefined;
    });
    return config;
  }

  return {
    async start(redirectUri: string): Promise<{ url: string; challenge: Challenge }> {
      const config = await configuration();
      const challenge = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(' '),
        state: challenge.state,
        nonce: challenge.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(challenge.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, challenge };
    },

    /** Exchanges the code of a callback URL. Throws for every invalid response. */
    async finish(callback: URL, { state, nonce, verifier }: Challenge): Promise<Claims> {
      const config = await configuration();
      const tokens = await client.authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('the ID token is missing');
      const userInfo = claims['email'] === undefined ? await moreOf(config, tokens.access_token, claims.sub) : {};
      return claimsOf({ ...userInfo, ...claims });
    },
  };
}

/**
 * Uses Basic authentication unless the provider accepts the secret only in the form (OpenID Connect Discovery 1.0, 3).
 */
function secretAuth(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = taken.includes('client_secret_post') && !taken.includes('client_secret_basic');
    (isPost ? post : basic)(server, ...rest);
  };
}

async function discover({ issuer, clientId, clientSecret }: Provider): Promise<client.Configuration> {
  const auth = clientSecret ? secretAuth(clientSecret.reveal()) : client.None();
  const isPlain = issuer.startsWith('http:');
  return client.discovery(new URL(issuer), clientId, {}, auth, {
    timeout: timeoutSeconds,
    ...(isPlain && { execute: [client.allowInsecureRequests] }),
  });
}

/** Fetches more claims. Some providers return an e-mail only from the UserInfo endpoint. */
async function moreOf(config: client.Configuration, accessToken: string, subject: string): Promise<object> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return client.fetchUserInfo(config, accessToken, subject);
}

/**
 * Returns the e-mail in lower case. Some letters beyond ASCII, such as the Kelvin sign, have an ASCII lower-case form.
 * Such an e-mail would become another user's address, so it is ignored.
 */
const plainEmailOf = (email: string | undefined): string | undefined =>
  [...(email ?? '')].some((letter) => letter > '\x7f' && /[a-z]/.test(letter.toLowerCase()))
    ? undefined
    : email?.toLowerCase();

function claimsOf(claims: Record<string, unknown>): Claims {
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string).trim() : '') || undefined;
  return {
    issuer: text('iss') ?? '',
    subject: text('sub') ?? '',
    email: plainEmailOf(text('email')),
    isEmailVerified: claims['email_verified'] === true,
    name: text('name')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is left out
      ?.replace(/[\u0000-\u001f\u007f]/g, ' ')
      .trim()
      .slice(0, 120),
  };
}
