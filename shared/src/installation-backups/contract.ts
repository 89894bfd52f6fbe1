import { z } from 'zod';
import { NewPassphrase } from '../keys/passphrase.ts';

const Recipient = z.string().regex(/^age1[02-9ac-hj-np-z]{58}$/);

/** Keys that a backup is encrypted for: age recipients, or a passphrase. */
export const EncryptFor = z.union([
  z.strictObject({ recipients: z.array(Recipient).min(1).max(16) }),
  z.strictObject({ passphrase: NewPassphrase }),
]);
export type EncryptFor = z.infer<typeof EncryptFor>;

export const CreateInstallationBackup = z.strictObject({
  encryptFor: EncryptFor,
  /** Adds the packages of the provider store, for a machine that cannot fetch them. */
  includeProviders: z.boolean().optional(),
});
export type CreateInstallationBackup = z.infer<typeof CreateInstallationBackup>;
