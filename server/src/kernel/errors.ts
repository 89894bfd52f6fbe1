import { type ArgumentReason, type ErrorCode, errorStatus, type PreconditionReason } from '#shared/errors';
import { type FormErrorCode, formErrorStatus } from '#shared/form-errors';

export type AnyErrorCode = ErrorCode | FormErrorCode;
const statuses: Readonly<Record<AnyErrorCode, number>> = { ...formErrorStatus, ...errorStatus };

/** Message of `ledger_read_only`. */
export const readOnlyMessage =
  'The disk of the data folder is full or failing, so nothing was changed. Free some space there and try again.';

type ErrorDetails = {
  reason?: string;
  diagnosticCode?: string;
  field?: string;
  allowed?: readonly string[];
  retryAfterSeconds?: number;
  [key: string]: unknown;
};

/** HTML page, and its content security policy, that a browser gets instead of the envelope. */
export type RefusalPage = { html: string; policy: string };

/** The only error thrown deliberately above the drivers. Its message states the fact and the remedy, and never a submitted value. */
export class AppError extends Error {
  readonly code: AnyErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly page: RefusalPage | undefined;
  readonly status: number;
  constructor(
    code: AnyErrorCode,
    message: string,
    more: { details?: ErrorDetails; headers?: Record<string, string>; page?: RefusalPage; status?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
    this.page = more.page;
    this.status = more.status ?? statuses[code];
  }
}

/** 400 `invalid_argument`: a well-formed value that breaks a rule of the record. */
export const invalidArgument = (reason: ArgumentReason, message: string, details: ErrorDetails = {}): AppError =>
  new AppError('invalid_argument', message, { details: { ...details, reason } });

/** 409 `failed_precondition`: the record is not in a state that allows this. */
export const failedPrecondition = (reason: PreconditionReason, message: string, details: ErrorDetails = {}): AppError =>
  new AppError('failed_precondition', message, { details: { ...details, reason } });

/** 404 for an address without a route, or without one for this caller. */
export const nothingHere = (): AppError => new AppError('not_found', 'There is nothing at this address.');

export const notFound = (what: string): AppError => new AppError('not_found', `There is no such ${what}.`);
