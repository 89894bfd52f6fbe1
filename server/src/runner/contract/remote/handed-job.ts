/** A file that travels: its digest and size, which the receiver checks. */
export type TransferredFile = { digest: string; sizeBytes: number };

/** Everything that a supervisor needs of another machine. */
export type JobInput = {
  /** The job as JSON. It holds secrets, so it is opened in memory only. */
  job: TransferredFile;
  /** The archive of the SourceSnapshot, with the key that Runs of the same archive share, base64 of 32 bytes. */
  archive: TransferredFile & { key: string };
  /** For an apply or an action: files of the Run of its plan, by their names in its folder. */
  planFiles: readonly (TransferredFile & { name: string })[];
};

/** A job as its machine gets it. It travels only sealed to that machine. */
export type HandedJob = {
  /** Base64 of 32 bytes: seals the files, the journal and the permission of this attempt. */
  runKey: string;
  /** Absent when only a supervisor that has it already can go on. */
  input?: JobInput;
};
