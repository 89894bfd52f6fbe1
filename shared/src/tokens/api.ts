import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQueryOf } from '../kernel/page.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { ScopeCatalog, TokenAuthority, TokenInventory, TokenRecord } from './contract.ts';

/** 1 to 80 characters after trimming. */
const TokenName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/);

const newToken = {
  name: TokenName,
  scopes: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(16)
    .refine((scopes) => new Set(scopes).size === scopes.length),
  workspace_id: z.string().min(1).max(128).optional(),
  expires_at: Timestamp.optional(),
};

/** The token is shown once: a repeated request returns only the record. */
const issued = z.strictObject({ token: z.string(), token_record: TokenRecord });
const repeated = z.strictObject({ token_record: TokenRecord });
const issuing = {
  replies: { 200: repeated, 201: issued },
  errors: ['insufficient_scope', 'workspace_not_found', 'workspace_authority_unavailable'],
} as const;

export const tokensApi = defineApi({
  listTokens: {
    method: 'GET',
    path: '/account/tokens',
    summary: 'Personal access tokens of the caller, newest first',
    class: 'S',
    tokensFailAs: 'invalid_session',
    query: pageQueryOf(pageSizes.tokens),
    replies: { 200: z.strictObject({ tokens: z.array(TokenRecord), next_cursor: z.string().nullable() }) },
  },
  listTokenScopes: {
    method: 'GET',
    path: '/account/tokens/scopes',
    summary: 'Scopes that the caller may give to a token',
    class: 'S',
    tokensFailAs: 'invalid_session',
    replies: { 200: ScopeCatalog },
  },
  createToken: {
    method: 'POST',
    path: '/account/tokens',
    summary: 'Make a personal access token; it is shown once',
    class: 'S',
    tokensFailAs: 'invalid_session',
    rate: 'createToken',
    body: z.strictObject(newToken),
    ...issuing,
  },
  revokeToken: {
    method: 'POST',
    path: '/account/tokens/:tokenId/revoke',
    summary: 'Revoke a personal access token',
    class: 'S',
    tokensFailAs: 'invalid_session',
    params: z.strictObject({ tokenId: z.string() }),
    replies: { 200: z.strictObject({ token: TokenRecord }) },
    errors: ['token_not_found'],
  },
  getTokenInventory: {
    method: 'GET',
    path: '/account/tokens/inventory.v1',
    summary: 'Every personal access token of the caller, as versioned metadata',
    class: 'S',
    tokensFailAs: 'invalid_session',
    query: z.strictObject(pageQueryOf(pageSizes.tokenInventory).shape),
    closedQuery: true,
    replies: { 200: TokenInventory },
    errors: ['inventory_unavailable'],
  },
  getTokenAuthority: {
    method: 'GET',
    path: '/account/tokens/current',
    summary: 'What the presented token may do now',
    class: 'P',
    replies: { 200: TokenAuthority },
    errors: ['workspace_membership_inactive', 'verification_unavailable'],
  },
  issueTokenAsOperator: {
    method: 'POST',
    base: '/internal/v1',
    path: '/account-tokens',
    summary: 'Make a personal access token for an account; the only way to the scope admin (operator)',
    class: 'Op',
    idempotency: 'none',
    body: z.strictObject({ subject: id('account'), ...newToken }),
    replies: { 201: issued },
    errors: [...issuing.errors, 'not_found', 'forbidden'],
  },
});
