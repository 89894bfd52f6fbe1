import { isoTime } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Principal } from '#server/kernel/http/index';
import { afterCreated, type Cursors, createdOf } from '#server/kernel/page';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import { type Role, roles } from '#shared/permissions';
import type { tokensApi } from '#shared/tokens/api';
import { vendor } from '#shared/vendor';
import type { IssuePorts } from './issue.ts';
import { inventoryTokenOf } from './records.ts';
import type { TokensStore } from './store.ts';

type Deps = {
  store: Pick<TokensStore, 'find' | 'readInventory'>;
  cursors: Cursors;
  workspaces: Pick<IssuePorts['workspaces'], 'findRoles'>;
};

/** Reads the ledger and converts a failure to the given error code. A refusal is passed through unchanged. */
function orUnavailable<T>(code: 'verification_unavailable' | 'inventory_unavailable', read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code !== 'ledger_read_only') throw error;
    throw new AppError(code, 'The ledger could not be read just now. Try again in a moment.');
  }
}

/** Versioned documents about the tokens of an account, for clients that verify them. */
export function createTokenReports({ store, cursors, workspaces }: Deps) {
  function highestRole(workspaceId: string, subject: string): Role {
    const live = workspaces.findRoles(workspaceId, subject);
    const highest = roles.find((role) => live?.includes(role));
    if (highest) return highest;
    throw new AppError(
      'workspace_membership_inactive',
      'This token is bound to a Workspace that its account is no longer a member of. Use another token.',
    );
  }

  return {
    inventory(subject: string, { limit, cursor, ...rest }: QueryOf<typeof tokensApi.getTokenInventory>) {
      nothingLeft(rest);
      const binding = `token-inventory:${subject}`;
      const anchor = cursors.decode(binding, cursor);
      return orUnavailable('inventory_unavailable', () => {
        const page = store.readInventory(subject, anchor && afterCreated(anchor), limit + 1);
        if (!page.hasAnchor) {
          throw new AppError(
            'invalid_request',
            'The token that this page continues from no longer exists. Start at the first page.',
            {
              details: { field: '/cursor' },
            },
          );
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
        if (!row)
          throw new AppError('invalid_token', 'The bearer token is unknown or no longer valid. Use another token.');
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
}
