type RunnerErrorCode =
  /** No supervisor could be started, or it ended before it accepted the execution spec: nothing was started. */
  | 'not_started'
  /** Another Run still works in the folder of the Capsule: nothing was started, and it may be retried. */
  | 'busy'
  /** The disk rejected a write of a starting supervisor: nothing was started. */
  | 'disk_full'
  /** A file that the job needs is gone: nothing was started, and a repetition changes nothing. */
  | 'input_missing'
  /** A journal holds a line that no supervisor writes. */
  | 'journal_corrupt'
  /** A program did not start or did not end within its time. */
  | 'program_failed';

/** Error of the runner; the message is a sentence for a person and holds no secret. */
export class RunnerError extends Error {
  readonly code: RunnerErrorCode;

  constructor(code: RunnerErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'RunnerError';
    this.code = code;
  }
}

/** Reports whether an error says that a journal is damaged, so that it can never be followed to its end. */
export const isDamage = (error: unknown): error is RunnerError =>
  error instanceof RunnerError && error.code === 'journal_corrupt';

/** Exit code of a supervisor that found another Run in the folder: EX_TEMPFAIL of sysexits.h. */
export const busyExit = 75;
/** Exit code of a supervisor that could not write to the disk before it started: EX_IOERR. */
export const diskExit = 74;
