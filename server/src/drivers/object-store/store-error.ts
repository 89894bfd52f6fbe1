/** Reasons of a failed request to object storage. `unsure` means that a write may have happened. */
export type StoreErrorReason =
  | 'address_refused'
  | 'bucket_missing'
  | 'certificate_refused'
  | 'changed'
  | 'denied'
  | 'invalid_answer'
  | 'not_found'
  | 'redirected'
  | 'refused'
  | 'unavailable'
  | 'unreachable'
  | 'unsure';

const messages: Readonly<Record<StoreErrorReason, string>> = {
  address_refused:
    'The address of the object storage leads to a loopback, link-local, metadata or reserved address, which is not allowed.',
  bucket_missing: 'The bucket does not exist at this address. Check its name, the address and the region.',
  certificate_refused:
    'The certificate of the object storage was refused. Check the address, or name its authority in GROUNDCTL_CA_FILE.',
  changed: 'The object was changed by someone else at the same time. Try again.',
  denied: 'The object storage refused the keys. Check the keys, the region, and the permissions on the bucket.',
  invalid_answer: 'The object storage gave an answer that S3 does not allow. Check the address.',
  not_found: 'The object does not exist in the bucket.',
  redirected:
    'The object storage redirects to another address, which is not followed. Check the address and the region.',
  refused: 'The object storage refused the request. Check the bucket and its permissions.',
  unavailable: 'The object storage reports that it is not available now. Try again later.',
  unreachable: 'The object storage did not answer. Check the address and the network.',
  unsure: 'The connection to the object storage was lost before it answered. Try again.',
};

/** Reasons that concern the moment, not the settings. */
const transient: ReadonlySet<StoreErrorReason> = new Set(['changed', 'unavailable', 'unreachable', 'unsure']);

/** A failed request to object storage. The message is a sentence for a person and contains no value. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason;
  /** HTTP status and S3 code of the answer, when there was one. */
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(reason: StoreErrorReason, details: { status?: number; code?: string | undefined; cause?: unknown } = {}) {
    super(messages[reason], { cause: details.cause });
    this.reason = reason;
    this.status = details.status;
    this.code = details.code;
  }

  get isTransient(): boolean {
    return transient.has(this.reason);
  }
}

/** Translates an answer that is not a success. */
export function refusalOf(status: number, code: string | undefined): StoreError {
  return new StoreError(reasonOf(status, code), { status, code });
}

function reasonOf(status: number, code: string | undefined): StoreErrorReason {
  if (code === 'NoSuchBucket') return 'bucket_missing';
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401 || status === 403) return code === 'RequestTimeTooSkewed' ? 'refused' : 'denied';
  if (status === 404) return 'not_found';
  if (status === 409 || status === 412) return 'changed';
  if (status === 429 || status >= 500) return status === 501 ? 'refused' : 'unavailable';
  return 'refused';
}
