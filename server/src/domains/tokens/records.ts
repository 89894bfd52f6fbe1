import { isoTime } from '#server/kernel/clock';
import type { InventoryToken, TokenRecord } from '#shared/tokens/contract';
import type { TokenRow } from './store.ts';

const timeOf = (at: number | null): string | null => (at === null ? null : isoTime(at));

/** Returns a row as the inventory shows it: absent values are null. */
export const inventoryTokenOf = (row: TokenRow): InventoryToken => ({
  token_id: row.id,
  subject: row.subject,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  workspace_id: row.workspaceId,
  created_at: isoTime(row.createdAt),
  expires_at: timeOf(row.expiresAt),
  revoked_at: timeOf(row.revokedAt),
  last_used_at: timeOf(row.lastUsedAt),
});

/** Returns a row as the interactive routes show it: absent values are left out. */
export const recordOf = (row: TokenRow): TokenRecord => ({
  id: row.id,
  subject: row.subject,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  created_at: isoTime(row.createdAt),
  ...(row.workspaceId !== null && { workspace_id: row.workspaceId }),
  ...(row.expiresAt !== null && { expires_at: isoTime(row.expiresAt) }),
  ...(row.revokedAt !== null && { revoked_at: isoTime(row.revokedAt) }),
  ...(row.lastUsedAt !== null && { last_used_at: isoTime(row.lastUsedAt) }),
});
