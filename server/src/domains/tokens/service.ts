import { createHash, randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import { newToken } from '#server/domains/identity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import type { Bearer, Principal } from '#server/kernel/http/index';
import { afterCreated, type Cursors, createdOf, type PageQuery, readPage } from '#server/kernel/page';
import { idPrefix } from '#shared/kernel/id';
import { patLimits } from '#shared/limits';
import { type PatScope, patScopes, type Role, roles, scopesOfOneWorkspace } from '#shared/permissions';
import type { NewToken } from '#shared/tokens/api';
import { tokenPrefixes, vendor } from '#shared/vendor';
import { inventoryTokenOf, recordOf } from './records.ts';
import type { TokensStore } from './store.ts';

export type TokensService = ReturnType<typeof createTokensService>;

type Deps = {
  store: TokensStore;
  db: Db;
  clock: Clock;
  cursors: Cursors;
  activity: Pick<ActivityService, 'record'>;
  /** Closes streams and sessions whose authority is gone. */
  endDenied: () => void;
  hasAccount: (subject: string) => boolean;
  /** Returns the Workspace itself, or undefined; and current roles there. */
  workspaces: {
    findWorkspaceId(id: string): string | undefined;
    findRoles(workspaceId: string, subject: string): readonly Role[] | undefined;
  };
};

/** Subject of a new token, its creator, and the scopes that the creator may grant. */
type Issue = { subject: string; actorId: string; input: NewToken; mayGive: readonly string[] };

const knownScopes: readonly string[] = [...patScopes.offered, ...patScopes.withheld];
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Reads the ledger and converts a failure to the given error code. A refusal is passed through unchanged. */
function orUnavailable<T>(code: 'verification_unavailable' | 'inventory_unavailable', read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code !== 'ledger_read_only') throw error;
    throw new AppError(code, 'The ledger could not be read just now. Try again in a moment.');
  }
}

export function createTokensService({ store, db, clock, cursors, activity, endDenied, hasAccount, workspaces }: Deps) {
  function issue({ subject, actorId, input, mayGive }: Issue) {
    const expiresAt = checkNew(input, clock.now());
    const at = input.scopes.findIndex((scope) => !mayGive.includes(scope));
    const withheld = input.scopes[at];
    if (withheld !== undefined) {
      throw new AppError('insufficient_scope', 'One of the scopes cannot be given to a token here. Leave it out.', {
        details: { field: `/scopes/${at}` },
        headers: { 'www-authenticate': `Bearer realm="${vendor}", error="insufficient_scope", scope="${withheld}"` },
      });
    }
    if (input.workspace_id !== undefined) requireMember(input.workspace_id, subject);
    const token = newToken(tokenPrefixes.pat);
    const row = {
      id: idPrefix.pat + randomBytes(16).toString('hex'),
      tokenHash: hashOf(token),
      subject,
      name: input.name,
      prefix: token.slice(0, tokenPrefixes.pat.length + 8),
      scopes: input.scopes,
      workspaceId: input.workspace_id ?? null,
      createdAt: clock.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    };
    store.insert(row);
    const metadata = {
      scopes: input.scopes,
      ...(input.workspace_id !== undefined && { workspaceId: input.workspace_id }),
    };
    activity.record({ actorId, action: 'pat.created', targetType: 'pat', targetId: row.id, metadata });
    return { token, token_record: recordOf(row) };
  }

  function requireMember(workspaceId: string, subject: string): void {
    const { known, member } = readAuthority(workspaceId, subject);
    if (!known) throw new AppError('workspace_not_found', 'The Workspace does not exist.');
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
    /** Returns the token of a bearer, if it is neither revoked nor expired and its account is not disabled. */
    findBearer(token: string): Extract<Bearer, { kind: 'pat' }> | undefined {
      const row = store.findLive(hashOf(token), clock.now());
      if (!row) return undefined;
      const { id: tokenId, subject, scopes, workspaceId } = row;
      return { kind: 'pat', tokenId, subject, scopes, workspaceId: workspaceId ?? undefined };
    },

    /** Updates `last_used_at`, at most once a minute. A disk that rejects writes does not stop reads. */
    noteUse(principal: Principal): void {
      if (principal.kind !== 'pat') return;
      const now = clock.now();
      const last = store.findUse(principal.tokenId);
      if (last !== undefined && now - last < patLimits.useNotedEveryMs) return;
      try {
        db.write(() => store.noteUse(principal.tokenId, now));
      } catch (error) {
        if (!isLedgerFault(error)) throw error;
      }
    },

    issueOwn: (subject: string, input: NewToken) =>
      issue({ subject, actorId: subject, input, mayGive: patScopes.offered }),

    /** Issues a token for the operator; the only way to grant `admin`. */
    issueByOperator(subject: string, input: NewToken) {
      if (!hasAccount(subject)) throw notFound('account');
      return issue({ subject, actorId: 'operator', input, mayGive: [...patScopes.offered, 'admin'] });
    },

    list(subject: string, query: PageQuery) {
      const { rows, next } = readPage(cursors, query, {
        binding: `tokens:${subject}`,
        fetch: (after, limit) => store.listBefore(subject, after && afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { tokens: rows.map(recordOf), next_cursor: next.nextCursor ?? null };
    },

    /** Revokes a token; a repeated call returns the same result. */
    revoke(id: string, subject: string) {
      const row = store.find(id);
      if (row?.subject !== subject) throw new AppError('token_not_found', 'You have no such token.');
      if (store.revoke(id, clock.now())) {
        activity.record({ actorId: subject, action: 'pat.revoked', targetType: 'pat', targetId: id });
        db.afterCommit(endDenied);
      }
      return recordOf(store.find(id) ?? row);
    },

    inventory(subject: string, { limit, cursor }: PageQuery & { limit: number }) {
      const binding = `token-inventory:${subject}`;
      const anchor = cursors.decode(binding, cursor);
      return orUnavailable('inventory_unavailable', () => {
        const page = store.readInventory(subject, anchor && afterCreated(anchor), limit + 1);
        if (!page.hasAnchor) {
          throw new AppError('invalid_request', 'The token that this page goes on from is gone. Start again.', {
            details: { field: '/cursor' },
          });
        }
        const rows = page.rows.slice(0, limit);
        const truncated = page.rows.length > limit;
        const last = rows.at(-1);
        return {
          kind: `${vendor}.account-pat-inventory@v1` as const,
          tokens: rows.map(inventoryTokenOf),
          total: page.total,
          returned: rows.length,
          limit,
          truncated,
          next_cursor: truncated && last ? cursors.encode(binding, createdOf(last)) : null,
        };
      });
    },

    /** Returns the current permissions of a presented token, without recording a use. */
    authority({ tokenId }: Extract<Principal, { kind: 'pat' }>) {
      return orUnavailable('verification_unavailable', () => {
        const row = store.find(tokenId);
        if (!row) throw new AppError('invalid_token', 'The bearer token is not known or no longer valid.');
        return {
          kind: `${vendor}.account-pat-authority@v1` as const,
          token_id: row.id,
          subject: row.subject,
          scopes: row.scopes,
          workspace_id: row.workspaceId,
          expires_at: row.expiresAt === null ? null : isoTime(row.expiresAt),
          workspace_role: row.workspaceId === null ? null : highestRole(row.workspaceId, row.subject),
        };
      });
    },
  };

  function highestRole(workspaceId: string, subject: string): Role {
    const live = workspaces.findRoles(workspaceId, subject);
    const highest = roles.find((role) => live?.includes(role));
    if (highest) return highest;
    throw new AppError(
      'workspace_membership_inactive',
      'This token is bound to a Workspace that its account is no longer a member of.',
    );
  }
}

/** Throws 400 `invalid_request` for invalid input; otherwise returns the expiry time, or null. */
function checkNew({ scopes, workspace_id, expires_at }: NewToken, now: number): number | null {
  const refuse = (field: string, message: string) => new AppError('invalid_request', message, { details: { field } });
  const unknown = scopes.findIndex((scope) => !knownScopes.includes(scope));
  if (unknown >= 0) throw refuse(`/scopes/${unknown}`, 'One of the scopes is not known.');
  const bound = scopes.some((scope) => scopesOfOneWorkspace.includes(scope as PatScope));
  if (bound && workspace_id === undefined)
    throw refuse('/workspace_id', 'One of these scopes is for one Workspace: name it in workspace_id.');
  if (expires_at === undefined) return null;
  const at = Date.parse(expires_at);
  if (!(at > now)) throw refuse('/expires_at', 'A token cannot end in the past.');
  return at;
}
