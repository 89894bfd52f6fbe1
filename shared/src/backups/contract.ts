import { z } from 'zod';
import { id } from '../kernel/id.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';

const Part = z.strictObject({ ref: z.string(), digest: Digest, sizeBytes: Count });

/** A stored copy of a Workspace or of one Capsule. Secret values in it stay sealed. */
export const Backup = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string().optional(),
  environment: z.string().optional(),
  ref: z.string(),
  digest: Digest,
  sizeBytes: Count,
  stateArchive: Part.optional(),
  artifactsManifest: Part.optional(),
  serviceData: Part.extend({ exportedCount: Count, unsupportedCount: Count, missingCount: Count }).optional(),
  createdByRunId: z.string().optional(),
  /** The archive is not in the data folder, for example after a restore of the installation. */
  fileMissing: z.literal(true).optional(),
  createdAt: Timestamp,
});
export type Backup = z.infer<typeof Backup>;

/** Request to restore the states of a backup: of all its Capsules, or of one; its newest states, or one generation. */
export const RequestRestore = z.strictObject({
  backupId: z.string().min(1).max(64),
  capsuleId: id('capsule').optional(),
  /** Only for one Capsule. */
  stateGeneration: Count.optional(),
  expectedBackupDigest: Digest.optional(),
});
export type RequestRestore = z.infer<typeof RequestRestore>;
