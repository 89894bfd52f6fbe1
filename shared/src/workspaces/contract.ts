import { z } from 'zod';
import { DriftSchedule } from '../drift/schedule.ts';
import { DisplayName, Handle, Slug, Timestamp } from '../kernel/scalars.ts';
import { manifestApiVersions } from '../manifest/versions.ts';
import { roles } from '../permissions.ts';

const names = z.array(z.string().min(1).max(256)).max(256).optional();

/**
 * Allowed types of a Workspace or an InstallConfig; the narrower policy wins. An absent list allows all, an empty one
 * none.
 */
export const PolicyConfig = z.strictObject({
  allowedProviders: names,
  allowedResourceTypes: names,
  allowedDataSourceTypes: names,
  allowedProvisionerTypes: names,
  destructiveChanges: z.strictObject({ requireExplicitConfirmation: z.boolean() }).optional(),
  providerLockfile: z.strictObject({ requireDigest: z.boolean() }).optional(),
  providerInstallation: z.strictObject({ requireMirror: z.boolean() }).optional(),
  approval: z.strictObject({ requireSecondPerson: z.boolean() }).optional(),
  providerCredentials: z
    .strictObject({
      requiredProviders: names,
      allowedConnectionIds: names,
      forbiddenConnectionIds: names,
      requireTemporary: z.boolean().optional(),
      requireTtlEnforced: z.boolean().optional(),
    })
    .optional(),
  /** Permissions of a repository manifest, and the version that every installation requires. */
  repositoryInstallUx: z
    .strictObject({
      allowedInterfacePermissions: z.array(z.string().min(1).max(256)).max(256),
      allowedInterfaceDeliveryTypes: names,
      allowedInterfaceBindingProfiles: z
        .array(z.strictObject({ permissions: z.array(z.string().min(1).max(256)).max(16), deliveryType: z.string() }))
        .max(64)
        .optional(),
      requiredManifestApiVersion: z.enum(manifestApiVersions).optional(),
      allowedOidcScopes: names,
    })
    .optional(),
  /** Commands that a Capsule may run after an apply and before a destroy; absent allows none. */
  lifecycleActions: z
    .strictObject({
      allowedExecutors: z.array(z.enum(['runner', 'operator'])).max(2),
      allowedRunnerCapabilities: z.array(z.string().min(1).max(256)).max(64),
      allowProviderCredentials: z.boolean().optional(),
    })
    .optional(),
  /** Stored and returned, but not evaluated here. */
  scopeBoundary: z.record(z.string(), z.unknown()).optional(),
  quota: z.record(z.string(), z.unknown()).optional(),
});
export type PolicyConfig = z.infer<typeof PolicyConfig>;

export const workspaceTypes = ['personal', 'organization'] as const;

export const Workspace = z.strictObject({
  id: z.string(),
  handle: Handle,
  displayName: DisplayName,
  type: z.enum(workspaceTypes),
  ownerUserId: z.string(),
  billingSettings: z.strictObject({ mode: z.enum(['disabled', 'showback']) }).optional(),
  archivedAt: Timestamp.optional(),
  policy: PolicyConfig.optional(),
  /** Schedule of drift checks of its Capsules that have none of their own. */
  driftSchedule: DriftSchedule,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Workspace = z.infer<typeof Workspace>;

export const Member = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  accountId: z.string(),
  roles: z.array(z.enum(roles)),
  status: z.enum(['invited', 'active', 'suspended']),
  email: z.string().optional(),
  displayName: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Member = z.infer<typeof Member>;

export const Project = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  name: DisplayName,
  slug: Slug,
  projectJson: z.record(z.string(), z.unknown()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Project = z.infer<typeof Project>;
