/** State of the daily backup of the installation, as it is stored. Times are epoch milliseconds. */
export type InstallationBackupState = {
  /** Time of the next backup. */
  dueAt?: number;
  /** Time of the next attempt of a backup that failed. */
  retryAt?: number;
  /** Failed attempts of the current backup. */
  attempts?: number;
  /** The newest backup that was read back and had the right digest. */
  stored?: { at: number; location: string; digest: string; sizeBytes: number };
  /** The newest failure since then. */
  failed?: { at: number; message: string };
};
