import { z } from 'zod';
import { id } from '../kernel/id.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';
import { backupScheduleLimits } from '../limits.ts';

const FolderPath = z
  .string()
  .min(1)
  .max(1_024)
  .refine((path) => !path.includes('\0'));

/** Target of the copies of backups: a folder on the server's disk, or the bucket of an `object_storage` Connection. */
export const BackupTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('folder'), path: FolderPath }),
  z.strictObject({ kind: z.literal('object_storage'), connectionId: id('connection') }),
]);
export type BackupTarget = z.infer<typeof BackupTarget>;

/** Settings of a schedule as its owner writes them. */
export const BackupScheduleInput = z.strictObject({
  /** Hour of the day in UTC. */
  hour: z.int().min(0).max(23),
  /** Number of copies that stay at the target. */
  keep: z.int().min(1).max(backupScheduleLimits.copies),
  target: BackupTarget,
});
export type BackupScheduleInput = z.infer<typeof BackupScheduleInput>;

/** A backup whose copy at the target was read back and had the right digest. */
export const StoredBackup = z.strictObject({
  backupId: z.string(),
  /** Path of the file, or `s3://BUCKET/KEY`. */
  location: z.string(),
  digest: Digest,
  sizeBytes: Count,
  at: Timestamp,
});
export type StoredBackup = z.infer<typeof StoredBackup>;

/** Steps of a backup of a schedule, in order. */
export const copySteps = ['creating', 'copying'] as const;

/** Daily backups of one Workspace. */
export const BackupSchedule = BackupScheduleInput.extend({
  workspaceId: z.string(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  nextAt: Timestamp,
  /** The backup that is being made or copied now, or that waits for its next attempt. */
  current: z
    .strictObject({
      step: z.enum(copySteps),
      startedAt: Timestamp,
      /** Failed attempts so far. */
      attempts: Count,
      /** Time of the next attempt; absent while one runs. */
      retryAt: Timestamp.optional(),
    })
    .optional(),
  lastSuccess: StoredBackup.optional(),
  /** The newest failure; it stays until the next success. `message` is a sentence for a person. */
  lastFailure: z.strictObject({ at: Timestamp, message: z.string() }).optional(),
  /** Number of copies that this schedule has at its target. */
  stored: Count,
});
export type BackupSchedule = z.infer<typeof BackupSchedule>;
