export { decryptText, encryptText } from './armored-text.ts';
export { BackupError, type BackupErrorCode } from './backup-error.ts';
export type { BackupHead, BackupLimits, BackupManifest, BackupMember } from './backup-manifest.ts';
export {
  type BackupKeyPair,
  createBackupKeyPair,
  type DecryptWith,
  type EncryptFor,
  isRecipient,
  readIdentities,
} from './encryption.ts';
export { type ExtractBackup, extractBackupArchive } from './extract-backup.ts';
export { type ReadBackup, readBackupArchive } from './read-backup.ts';
export { type WrittenFile, writeWholeFile } from './whole-file.ts';
export { type BackupInput, streamBackupArchive, type WriteBackup, writeBackupArchive } from './write-backup.ts';
