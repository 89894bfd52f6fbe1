import { z } from 'zod';
import { connectionStatuses } from '../connections/machine.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { roles } from '../permissions.ts';

/**
 * Work that the server starts without a person, and does not start while the installation is paused. `credentials` is
 * the revocation of credentials that were issued to Runs.
 */
export const pausedWork = [
  'source_syncs',
  'source_hooks',
  'auto_updates',
  'drift_checks',
  'webhooks',
  'mails',
  'backups',
  'credentials',
] as const;
export type PausedWork = (typeof pausedWork)[number];

/** Records that ended when the restored installation started for the first time, by their number, in their order. */
export const EndedByRestore = z.strictObject({
  /** Runs that were running. */
  failedRuns: Count,
  /** Runs that were queued, and restores that waited for an approval. */
  cancelledRuns: Count,
  /** Plans that can no longer be applied. */
  supersededPlans: Count,
  sessions: Count,
  signInLinks: Count,
  invitations: Count,
  tokens: Count,
  /** Sign-ins of apps, with all their tokens. */
  grants: Count,
  /** Deliveries of webhooks that had not arrived. */
  deliveries: Count,
  mails: Count,
  /** Runner machines that were revoked; enrolments that were open are cancelled with them. */
  runnerMachines: Count,
});
export type EndedByRestore = z.infer<typeof EndedByRestore>;

/** The restore that the data folder comes from. */
export const RestoredFrom = z.strictObject({
  restoredAt: Timestamp,
  /** Moment that the backup holds: nothing later is in this installation. */
  backupCreatedAt: Timestamp,
  /** Position of that moment in the ledger. */
  ledgerSequence: Count,
});
export type RestoredFrom = z.infer<typeof RestoredFrom>;

export const Installation = z.strictObject({
  id: z.string(),
  /** True from the first start of a restored installation until a person ends the pause. */
  paused: z.boolean(),
  /** Absent for an installation that was never restored. */
  restored: RestoredFrom.optional(),
  pausedAt: Timestamp.optional(),
  resumedAt: Timestamp.optional(),
  /** Account that ended the pause, or `operator`. */
  resumedBy: z.string().optional(),
  /** Work that does not start now; empty while the installation is not paused. */
  off: z.array(z.enum(pausedWork)),
  ended: EndedByRestore.optional(),
  /** Numbers of the records to review, because later changes to them are not in the backup. */
  review: z.strictObject({ members: Count, connections: Count }),
});
export type Installation = z.infer<typeof Installation>;

/** A membership to review. */
export const ReviewedMember = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  workspaceName: z.string(),
  displayName: z.string().optional(),
  email: z.string().optional(),
  role: z.enum(roles),
  status: z.enum(['invited', 'active', 'suspended']),
  updatedAt: Timestamp,
});
export type ReviewedMember = z.infer<typeof ReviewedMember>;

/** A Connection to review. */
export const ReviewedConnection = z.strictObject({
  id: z.string(),
  /** Absent for Connections of the operator. */
  workspaceId: z.string().optional(),
  workspaceName: z.string().optional(),
  displayName: z.string().optional(),
  provider: z.string(),
  status: z.enum(connectionStatuses),
  updatedAt: Timestamp,
  expiresAt: Timestamp.optional(),
});
export type ReviewedConnection = z.infer<typeof ReviewedConnection>;

/** The pause as every account sees it. */
export const PauseNotice = z.strictObject({ pausedAt: Timestamp, backupCreatedAt: Timestamp });
export type PauseNotice = z.infer<typeof PauseNotice>;
