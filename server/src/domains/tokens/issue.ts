import { randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import { newToken } from '#server/domains/identity/index';
import type { Clock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { idPrefix } from '#shared/kernel/id';
import { type PatScope, patScopes, type Role, scopesOfOneWorkspace } from '#shared/permissions';
import type { tokensApi } from '#shared/tokens/api';
import { tokenPrefixes, vendor } from '#shared/vendor';
import { recordOf } from './records.ts';
import type { TokensStore } from './store.ts';

type NewToken = BodyOf<typeof tokensApi.createToken> | Omit<BodyOf<typeof tokensApi.issueTokenAsOperator>, 'subject'>;
/** Subject of a new token, its creator, and the scopes that the creator may grant. */
type Issue = { subject: string; actorId: string; input: NewToken; mayGive: readonly string[] };

export type IssuePorts = {
  store: Pick<TokensStore, 'insert'>;
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  hasAccount: (subject: string) => boolean;
  /** Returns the Workspace itself, or undefined; and current roles there. */
  workspaces: {
    findWorkspaceId(id: string): string | undefined;
    findRoles(workspaceId: string, subject: string): readonly Role[] | undefined;
  };
};

const knownScopes: readonly string[] = [...patScopes.offered, ...patScopes.withheld];

/** Issues tokens to accounts. */
export function createTokenIssue({ store, clock, activity, hasAccount, workspaces }: IssuePorts) {
  function issue({ subject, actorId, input, mayGive }: Issue) {
    const { name, scopes, workspace_id, expires_at, ...rest } = input;
    nothingLeft(rest);
    const expiresAt = checkNew({ scopes, workspace_id, expires_at }, clock.now());
    const at = scopes.findIndex((scope) => !mayGive.includes(scope));
    const withheld = scopes[at];
    if (withheld !== undefined) {
      throw new AppError('insufficient_scope', 'One of the scopes cannot be given to a token here. Leave it out.', {
        details: { field: `/scopes/${at}` },
        headers: { 'www-authenticate': `Bearer realm="${vendor}", error="insufficient_scope", scope="${withheld}"` },
      });
    }
    if (workspace_id !== undefined) requireMember(workspace_id, subject);
    const token = newToken(tokenPrefixes.pat);
    const row = {
      id: idPrefix.pat + randomBytes(16).toString('hex'),
      tokenHash: sha256Hex(token),
      subject,
      name,
      prefix: token.slice(0, tokenPrefixes.pat.length + 8),
      scopes,
      workspaceId: workspace_id ?? null,
      createdAt: clock.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    };
    store.insert(row);
    const metadata = {
      scopes,
      ...(workspace_id !== undefined && { workspaceId: workspace_id }),
    };
    activity.record({ actorId, action: 'pat.created', targetType: 'pat', targetId: row.id, metadata });
    return { token, token_record: recordOf(row) };
  }

  function requireMember(workspaceId: string, subject: string): void {
    const { known, member } = readAuthority(workspaceId, subject);
    if (!known) throw new AppError('workspace_not_found', 'The Workspace does not exist. Check its id.');
    if (!member)
      throw new AppError('forbidden', 'A token can be bound only to a Workspace that its account is a member of.');
  }

  function readAuthority(workspaceId: string, subject: string): { known: boolean; member: boolean } {
    try {
      const known = workspaces.findWorkspaceId(workspaceId) !== undefined;
      return { known, member: known && workspaces.findRoles(workspaceId, subject) !== undefined };
    } catch {
      const message = 'The membership could not be read just now. Try again in a moment.';
      throw new AppError('workspace_authority_unavailable', message, { details: { retryAfterSeconds: 1 } });
    }
  }

  return {
    issueOwn: (subject: string, input: NewToken) =>
      issue({ subject, actorId: subject, input, mayGive: patScopes.offered }),

    /** Issues a token for the operator; the only way to grant `admin`. */
    issueByOperator({ subject, ...input }: BodyOf<typeof tokensApi.issueTokenAsOperator>) {
      if (!hasAccount(subject)) throw notFound('account');
      return issue({ subject, actorId: 'operator', input, mayGive: [...patScopes.offered, 'admin'] });
    },
  };
}

/** Throws 400 `invalid_request` for invalid input; otherwise returns the expiry time, or null. */
function checkNew({ scopes, workspace_id, expires_at }: Omit<NewToken, 'name'>, now: number): number | null {
  const refuse = (field: string, message: string) => new AppError('invalid_request', message, { details: { field } });
  const unknown = scopes.findIndex((scope) => !knownScopes.includes(scope));
  if (unknown >= 0) throw refuse(`/scopes/${unknown}`, 'One of the scopes does not exist. Leave it out.');
  const bound = scopes.some((scope) => scopesOfOneWorkspace.includes(scope as PatScope));
  if (bound && workspace_id === undefined)
    throw refuse('/workspace_id', 'One of the scopes is valid only in one Workspace. Name it in workspace_id.');
  if (expires_at === undefined) return null;
  const at = Date.parse(expires_at);
  if (!(at > now)) throw refuse('/expires_at', 'The expiry must be in the future.');
  return at;
}
