import { createHash, randomBytes } from 'node:crypto';
import { type Clock, isoTime } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import { type Role, rolesOf } from '#shared/permissions';
import { type Exchanged, ExchangeError, exchangeCode } from './oauth-exchange.ts';
import type { OauthHelper, OauthHelpers } from './oauth-helpers.ts';
import type { Outgoing } from './outgoing.ts';
import { createPendingAuthorizations, type PendingAuthorization } from './pending-authorizations.ts';
import type { RecipeRegistry } from './recipes.ts';
import type { ConnectionsService } from './service.ts';

export type OauthService = ReturnType<typeof createOauth>;

type Start = Pick<PendingAuthorization, 'workspaceId' | 'subject' | 'sessionId'> & {
  displayName?: string | undefined;
  /** Origin under which the browser reaches this server. */
  origin: string;
};
type Return = { code?: string | undefined; state?: string | undefined; sessionToken: string | undefined };
type Failure = 'missing_code' | 'oauth_failed' | 'forbidden';

type Deps = {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  helpers: OauthHelpers;
  recipes: RecipeRegistry;
  connections: Pick<ConnectionsService, 'create'>;
  outgoing: Outgoing;
  findSession: (token: string) => { subject: string; sessionId: string } | undefined;
  findRoles: (workspaceId: string, subject: string) => readonly Role[] | undefined;
};

const lifeMs = 600_000;
const random = () => randomBytes(32).toString('base64url');

/**
 * Gets a token in the browser: authorization code with PKCE (RFC 7636, S256 only). The state is used once, expires after ten minutes and
 * is bound to the session that started the sign-in, so that no one can finish it in another user's Workspace (RFC 9700, 4.7).
 */
export function createOauth(deps: Deps) {
  const { clock, log, helpers, outgoing } = deps;
  const pending = createPendingAuthorizations(clock);

  function require(helperId: string): OauthHelper {
    const helper = helpers.find(helperId);
    if (helper) return helper;
    throw new AppError(
      'capability_not_available',
      'No sign-in of this name is installed. Ask the operator, or enter a token by hand.',
    );
  }

  return {
    /** 501 `capability_not_available` for a helper that is not installed. */
    requireHelper: (helperId: string): void => void require(helperId),
    listHelpers: (): string[] => helpers.list().map(({ id }) => id),

    start(helperId: string, { origin, ...who }: Start): { authorizationUrl: string; state: string; expiresAt: string } {
      const helper = require(helperId);
      const state = random();
      const verifier = random();
      const redirectUri = `${origin}/api/v1/connections/oauth/${helper.id}/callback`;
      const expiresAt = clock.now() + lifeMs;
      pending.remember(state, { helperId, displayName: undefined, ...who, verifier, redirectUri, expiresAt });
      const url = new URL(helper.authorizationUrl);
      const parameters = {
        response_type: 'code',
        client_id: helper.clientId,
        redirect_uri: redirectUri,
        scope: helper.scopes.join(' '),
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { authorizationUrl: url.href, state, expiresAt: isoTime(expiresAt) };
    },

    /** Exchanges the code. Returns the write that completes the sign-in and yields the address in the dashboard. */
    async finish(helperId: string, { code, state, sessionToken }: Return): Promise<() => string> {
      const helper = require(helperId);
      const value = state === undefined ? undefined : pending.take(helperId, state);
      if (!code || !state) return failed('missing_code');
      if (!value) return failed('oauth_failed');
      if (!mayFinish(deps, value, sessionToken)) return failed('forbidden');
      try {
        const { verifier, redirectUri } = value;
        const { tokenUrl, clientId } = helper;
        const clientSecret = helpers.readClientSecret(helper);
        const token = await exchangeCode({ tokenUrl, clientId, clientSecret, code, redirectUri, verifier }, outgoing);
        return () => {
          if (!mayFinish(deps, value, sessionToken)) return failed('forbidden')();
          return keep(deps, { helper, value, token });
        };
      } catch (error) {
        if (error instanceof ExchangeError) log.warn({ helperId }, `a sign-in failed: ${error.message}`);
        else log.warn({ helperId, ...faultFields(error) }, 'a sign-in failed unexpectedly');
        return failed('oauth_failed');
      }
    },
  };
}

const failed = (why: Failure) => (): string => `/connections?connection_error=${why}`;

function mayFinish(
  { findSession, findRoles }: Deps,
  { subject, sessionId, workspaceId }: PendingAuthorization,
  sessionToken: string | undefined,
): boolean {
  const session = sessionToken === undefined ? undefined : findSession(sessionToken);
  if (session?.subject !== subject || session.sessionId !== sessionId) return false;
  return findRoles(workspaceId, subject)?.some((role) => rolesOf.W?.includes(role)) === true;
}

type Keeping = { helper: OauthHelper; value: PendingAuthorization; token: Exchanged };

/** Stores the token as a Connection, in the caller's transaction. Returns the address that the browser is sent to. */
function keep({ clock, recipes, connections }: Deps, { helper, value, token }: Keeping): string {
  const { terraformSource } = recipes.find(helper.recipeId) ?? { terraformSource: '*' as const };
  const input = {
    workspaceId: value.workspaceId,
    provider: terraformSource === '*' ? helper.id : (terraformSource[0] ?? helper.id),
    credentialRecipe: { id: helper.recipeId, authMode: helper.authMode },
    displayName: value.displayName,
    values: { [helper.envName]: token.accessToken },
    ...(token.expiresIn !== undefined && { expiresAt: isoTime(clock.now() + token.expiresIn * 1_000) }),
  };
  try {
    const { id, status } = connections.create(input, value.subject);
    return `/connections?connected=1&connection_id=${id}&connection_status=${status}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The Workspace was archived or the recipe changed during the sign-in.
    return failed(error.code === 'failed_precondition' ? 'forbidden' : 'oauth_failed')();
  }
}
