import { type Db, isLedgerFault } from '#server/kernel/db';
import { sha256Hex } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { Bearer, Principal } from '#server/kernel/http/index';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import { patLimits } from '#shared/limits';
import type { tokensApi } from '#shared/tokens/api';
import { createTokenIssue, type IssuePorts } from './issue.ts';
import { recordOf } from './records.ts';
import { createTokenReports } from './reports.ts';
import type { TokensStore } from './store.ts';

export type TokensService = ReturnType<typeof createTokensService>;

type Deps = IssuePorts & {
  store: TokensStore;
  db: Db;
  cursors: Cursors;
  /** Closes streams and sessions whose authority is gone. */
  endDenied: () => void;
};

/** The personal access tokens of accounts. */
export function createTokensService(deps: Deps) {
  const { store, db, clock, cursors, activity, endDenied } = deps;

  return {
    ...createTokenIssue(deps),
    ...createTokenReports(deps),

    /** Returns the token of a bearer, if it is neither revoked nor expired and its account is not disabled. */
    findBearer(token: string): Extract<Bearer, { kind: 'pat' }> | undefined {
      const row = store.findLive(sha256Hex(token), clock.now());
      if (!row) return undefined;
      const { id: tokenId, subject, scopes, workspaceId } = row;
      return { kind: 'pat', tokenId, subject, scopes, workspaceId: workspaceId ?? undefined };
    },

    /** Returns a live token with its expiry, for the issuer. */
    findDescribed(token: string) {
      const row = store.findLive(sha256Hex(token), clock.now());
      if (!row) return undefined;
      const { id: tokenId, subject, scopes, workspaceId, expiresAt } = row;
      return { tokenId, subject, scopes, workspaceId: workspaceId ?? undefined, expiresAt: expiresAt ?? undefined };
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

    list(subject: string, query: ListQueryOf<typeof tokensApi.listTokens>) {
      const { rows, next } = readPage(cursors, query, {
        binding: `tokens:${subject}`,
        fetch: (after, limit) => store.listBefore(subject, after && afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { tokens: rows.map(recordOf), next_cursor: next.nextCursor ?? null };
    },

    /** Revokes all tokens that are bound to a Workspace, in the transaction that deletes it. */
    revokeBound(workspaceId: string, actorId: string): void {
      for (const id of store.listBound(workspaceId)) {
        store.revoke(id, clock.now());
        activity.record({ actorId, action: 'pat.revoked', targetType: 'pat', targetId: id });
      }
      db.afterCommit(endDenied);
    },

    /** Revokes the tokens of every account. Returns their number. */
    revokeEvery: (): number => store.revokeEvery(clock.now()),

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
  };
}
