import { type SealReason, sealReasons } from '#shared/keys/contract';
import { ApiError } from './client.ts';

/** Whether the server refuses because its vault is sealed. */
export const isSealed = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'vault_sealed';

/** Why a key could not be had, as a refusal names it. */
export const sealReasonOf = (error: unknown): SealReason | undefined =>
  error instanceof ApiError ? sealReasons.find((reason) => reason === error.details['reason']) : undefined;
