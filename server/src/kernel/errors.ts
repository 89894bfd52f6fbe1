import { type ArgumentReason, type ErrorCode, errorStatus, type PreconditionReason } from '#shared/errors';

/** What `ledger_read_only` says. */
export const readOnlyMessage =
  'The disk of the data folder is full or failing, so nothing was changed. Make room there and try again.';

export type ErrorDetails = {
  reason?: string;
  diagnosticCode?: string;
  field?: string;
  allowed?: readonly string[];
  retryAfterSeconds?: number;
  [key: string]: unknown;
};

/** What a person is shown in a browser instead of the envelope, with the policy of that page. */
export type RefusalPage = { html: string; policy: string };

/** The only error thrown on purpose above the drivers. Its sentence says what happened and what to do, and never a submitted value. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly page: RefusalPage | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetails; headers?: Record<string, string>; page?: RefusalPage } = {},
  ) {
    super(message);
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
    this.page = more.page;
  }
  get status(): number {
    return errorStatus[this.code];
  }
}

/** 400 `invalid_argument`: a well-shaped value that breaks a rule of the record. */
export const invalidArgument = (reason: ArgumentReason, message: string, details: ErrorDetails = {}): AppError =>
  new AppError('invalid_argument', message, { details: { ...details, reason } });

/** 409 `failed_precondition`: the record is not in a state that allows this. */
export const failedPrecondition = (reason: PreconditionReason, message: string, details: ErrorDetails = {}): AppError =>
  new AppError('failed_precondition', message, { details: { ...details, reason } });

/** 404 for an address that no route has, or none for this caller. */
export const nothingHere = (): AppError => new AppError('not_found', 'There is nothing at this address.');

export const notFound = (what: string): AppError => new AppError('not_found', `There is no such ${what}.`);
