import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { boundedJson, findOutOfBounds, type Json } from '../kernel/json.ts';
import { BaseDomain, DisplayName, Timestamp, VariableName } from '../kernel/scalars.ts';
import { connectionStatuses } from './machine.ts';
import { moduleRegistryKind } from './module-registry.ts';
import { objectStorageKind } from './object-storage.ts';

/** A token for private Git repositories over https. The other kind of Connection, for a provider, has no `kind`. */
export const gitTokenKind = 'source_git_https_token';
/** Names of the values that a Git Connection takes. */
export const gitTokenName = 'GIT_HTTPS_TOKEN';
export const gitUserName = 'GIT_HTTPS_USERNAME';
/** User name that code hosts accept beside a token when none is given. */
export const defaultGitUser = 'x-access-token';

const BoundedObject = z
  .record(z.string(), AnyJson)
  .refine((value) => findOutOfBounds(value as Json, boundedJson) === undefined, 'Larger or deeper than it may be.');
const Partition = z.string().min(1).max(120);

/** Non-secret settings of a Connection: arguments of the provider block, defaults of module inputs. */
export const ScopeHints = z.strictObject({
  providerConfig: BoundedObject.optional(),
  moduleInputDefaults: BoundedObject.refine((value) =>
    Object.keys(value).every((name) => VariableName.safeParse(name).success),
  ).optional(),
  providerSettings: BoundedObject.optional(),
  managedPublicBaseDomain: BaseDomain.optional(),
  managedProviderProfile: z.string().min(1).max(256).optional(),
});
export type ScopeHints = z.infer<typeof ScopeHints>;

/** Names only: the values of a Connection are write-only. */
export const Connection = z.strictObject({
  id: z.string(),
  workspaceId: z.string().optional(),
  provider: z.string(),
  /** Canonical source as returned by `canonicalSource`; `git` for a Git token, `s3` for object storage, `module-registry` for one. */
  providerSource: z.string(),
  kind: z.enum([gitTokenKind, moduleRegistryKind, objectStorageKind]).optional(),
  scope: z.enum(['workspace', 'operator']),
  status: z.enum(connectionStatuses),
  displayName: DisplayName.optional(),
  materialization: z.string(),
  secretPartition: Partition.optional(),
  credentialRecipe: z
    .strictObject({
      id: z.string(),
      authMode: z.string(),
      secretPartition: Partition.optional(),
      envNames: z.array(z.string()).optional(),
      fileEnvNames: z.array(z.string()).optional(),
      requiredEnvGroups: z.array(z.array(z.string())).optional(),
      declaredEnv: z.array(z.string()).optional(),
    })
    .optional(),
  envNames: z.array(z.string()),
  fileEnvNames: z.array(z.string()).optional(),
  scopeHints: ScopeHints.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  verifiedAt: Timestamp.optional(),
  expiresAt: Timestamp.optional(),
});
export type Connection = z.infer<typeof Connection>;

/** One Run that received values of a Connection, by their names. */
export const ConnectionUse = z.strictObject({
  runId: z.string(),
  capsuleId: z.string().optional(),
  capsuleName: z.string().optional(),
  names: z.array(z.string()),
  usedAt: Timestamp,
});
export type ConnectionUse = z.infer<typeof ConnectionUse>;

/** Result of a test; `pending` when nothing could be tested. `detail` is a sentence without values. */
export const ConnectionTest = z.strictObject({
  status: z.enum(['verified', 'pending', 'expired', 'error']),
  detail: z.string().optional(),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;
