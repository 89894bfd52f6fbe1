import { z } from 'zod';
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
  createdAt: Timestamp,
});
export type Backup = z.infer<typeof Backup>;
