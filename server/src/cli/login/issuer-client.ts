import * as client from 'openid-client';
import { cliClientId } from '#shared/issuer/contract';
import { failed } from '../exit-codes.ts';
import type { LoginTokens } from './stored-logins.ts';

const answerSeconds = 10;
/** Access tokens are renewed this long before their end, so that none ends on its way. */
const marginMs = 30_000;

/** The scopes of the built-in client. */
const scope = 'openid offline_access capsules:read capsules:write';

/** The issuer did not answer, or what answered is not an issuer. */
export class IssuerUnreachable extends Error {}
/** The issuer refused: a code or a refresh token that is spent, revoked or expired, or a denied sign-in. */
export class IssuerRefusal extends Error {}

export type Issuer = Awaited<ReturnType<typeof openIssuer>>;

/** Tokens of an authorization, and their Workspace. */
export type SignedIn = { tokens: LoginTokens; workspaceId: string | undefined };

/** Reads the metadata of a server's issuer. Throws `IssuerUnreachable`. */
export async function openIssuer(url: string) {
  const execute = [client.enableNonRepudiationChecks];
  if (url.startsWith('http:')) execute.push(client.allowInsecureRequests);
  const config = await settle(
    client.discovery(new URL(url), cliClientId, undefined, client.None(), { execute, timeout: answerSeconds }),
  );
  return {
    /** Prepares a sign-in: returns the address for the browser, and the exchange of what returns from it. */
    async prepareSignIn(redirectUri: string, workspace: string) {
      const verifier = client.randomPKCECodeVerifier();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const parameters = {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        workspace,
      };
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      return {
        address: client.buildAuthorizationUrl(config, parameters).href,
        state,
        /** Throws `IssuerRefusal` when the person denied, or when state, issuer or nonce are not the expected ones. */
        async exchange(callback: URL): Promise<SignedIn> {
          const answer = await settle(client.authorizationCodeGrant(config, callback, checks));
          const { svc } = (answer.claims() ?? {}) as { svc?: { workspace_id?: string } };
          return { tokens: tokensOf(answer), workspaceId: svc?.workspace_id };
        },
      };
    },

    /** Returns new tokens for a refresh token, which is spent by it. Throws `IssuerRefusal` for a dead one. */
    refresh: async ({ refreshToken }: LoginTokens): Promise<LoginTokens> =>
      tokensOf(await settle(client.refreshTokenGrant(config, refreshToken)), refreshToken),

    /** Ends a login: its refresh token, and everything that was issued with it. */
    revoke: ({ refreshToken }: LoginTokens): Promise<void> =>
      settle(client.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' })),
  };
}

export const isFresh = ({ accessExpiresAt }: LoginTokens): boolean => accessExpiresAt - marginMs > Date.now();

function tokensOf(answer: client.TokenEndpointResponse, previous?: string): LoginTokens {
  const { access_token: accessToken, refresh_token: refreshToken = previous, expires_in: seconds = 0 } = answer;
  if (refreshToken === undefined)
    throw failed('not_ground_control', 'The server issued no refresh token. Update the server, then log in again.');
  return { refreshToken, accessToken, accessExpiresAt: Date.now() + seconds * 1_000 };
}

/** Sorts the errors of the library: a refusal of the issuer is final, and anything else may be tried again. */
async function settle<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError || isRefusal(error))
      throw new IssuerRefusal(error.error_description ?? error.error, { cause: error });
    if (error instanceof client.ClientError && checkCodes.has(error.code ?? ''))
      throw new IssuerRefusal('the answer does not belong to this sign-in', { cause: error });
    throw new IssuerUnreachable('The issuer cannot be used now.', { cause: error });
  }
}

const isRefusal = (error: unknown): error is client.ResponseBodyError =>
  error instanceof client.ResponseBodyError && error.status < 500 && error.status !== 429;

/** Codes of answers with another state, issuer, nonce or signature than the expected one. */
const checkCodes = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);
