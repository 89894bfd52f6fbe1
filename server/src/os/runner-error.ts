export type RunnerErrorCode =
  /** No supervisor could be started, or it ended before it took the Job: nothing was started. */
  | 'not_started'
  /** Another Run still works in the folder of the Capsule: nothing was started, and it may be tried again. */
  | 'busy'
  /** The disk took no write of a supervisor that was to begin: nothing was started. */
  | 'disk_full'
  /** A journal holds a line that no supervisor writes. */
  | 'journal_corrupt'
  /** A program did not start or did not end within its time. */
  | 'program_failed';

/** What the runner refuses or cannot do; the message is a sentence for a person and holds no secret. */
export class RunnerError extends Error {
  readonly code: RunnerErrorCode;

  constructor(code: RunnerErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'RunnerError';
    this.code = code;
  }
}

/** How a supervisor ends that found another Run in the folder: EX_TEMPFAIL of sysexits.h. */
export const busyExit = 75;
/** How one ends that the disk took no write of before it began: EX_IOERR. */
export const diskExit = 74;
