import { type SealReason, sealReasons } from '#shared/keys/contract';
import { ApiError } from './client.ts';

/** Reports whether the server refused because its vault is sealed. */
export const isSealed = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'vault_sealed';

/** Returns the reason why a key is not available, as named by the refusal. */
export const sealReasonOf = (error: unknown): SealReason | undefined =>
  error instanceof ApiError ? sealReasons.find((reason) => reason === error.details['reason']) : undefined;
