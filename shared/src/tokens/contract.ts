import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { type PatScope, patScopes, roles, scopesOfOneWorkspace } from '../permissions.ts';
import { vendor } from '../vendor.ts';

/** A personal access token as the account that owns it sees it; the token is shown once and not stored. */
export const TokenRecord = z.strictObject({
  id: z.string(),
  subject: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  workspace_id: z.string().optional(),
  created_at: Timestamp,
  expires_at: Timestamp.optional(),
  revoked_at: Timestamp.optional(),
  last_used_at: Timestamp.optional(),
});
export type TokenRecord = z.infer<typeof TokenRecord>;

export const InventoryToken = z.strictObject({
  token_id: z.string(),
  subject: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  workspace_id: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
});
export type InventoryToken = z.infer<typeof InventoryToken>;

export const TokenInventory = z.strictObject({
  kind: z.literal(`${vendor}.account-pat-inventory@v1`),
  tokens: z.array(InventoryToken),
  total: Count,
  returned: Count,
  limit: Count,
  truncated: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** Current permissions of the presented token. */
export const TokenAuthority = z.strictObject({
  kind: z.literal(`${vendor}.account-pat-authority@v1`),
  token_id: z.string(),
  subject: z.string(),
  scopes: z.array(z.string()),
  workspace_id: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  workspace_role: z.enum(roles).nullable(),
});

const LocalizedText = z.strictObject({ ja: z.string(), en: z.string() });
export const ScopeCatalog = z.strictObject({
  kind: z.literal(`${vendor}.account-pat-scope-catalog@v1`),
  scopes: z.array(
    z.strictObject({
      scope: z.string(),
      label: LocalizedText,
      description: LocalizedText,
      workspaceBinding: z.enum(['optional', 'required']),
      selfService: z.literal(true),
    }),
  ),
});
export type ScopeCatalog = z.infer<typeof ScopeCatalog>;

type LocalizedText = z.infer<typeof LocalizedText>;
const scopeTexts: Record<(typeof patScopes.offered)[number], { label: LocalizedText; description: LocalizedText }> = {
  read: {
    label: { ja: '読み取り', en: 'Read' },
    description: {
      ja: 'Workspace、モジュール、Run、Output などを読み取れます。変更はできません。',
      en: 'Reads Workspaces, modules, Runs, outputs and all else that its account may see. Changes nothing.',
    },
  },
  write: {
    label: { ja: '書き込み', en: 'Write' },
    description: {
      ja: 'アカウントの役割の範囲で、プラン、承認、適用、設定の変更ができます。読み取りは含みません。',
      en: 'Plans, approves, applies and configures within the role of its account. It does not include reading.',
    },
  },
  'resources:read': {
    label: { ja: 'Interface と Resource の読み取り', en: 'Read Interfaces and Resources' },
    description: {
      ja: '1 つの Workspace の Interface と、フォームホストの Resource およびフォームだけを読み取れます。ほかは何も読み取れません。',
      en: 'Reads the Interfaces of one Workspace, and its Resources and forms of the form host. It reads nothing else.',
    },
  },
};

/** Scopes that a signed-in account may give to a token, in display order. */
export const scopeCatalog: ScopeCatalog = {
  kind: `${vendor}.account-pat-scope-catalog@v1`,
  scopes: patScopes.offered.map((scope) => ({
    scope,
    ...scopeTexts[scope],
    workspaceBinding: needsWorkspace(scope) ? 'required' : 'optional',
    selfService: true,
  })),
};

function needsWorkspace(scope: PatScope): boolean {
  return scopesOfOneWorkspace.includes(scope);
}
