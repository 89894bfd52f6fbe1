import type { RunErrorCode } from '#shared/errors';

type MintErrorCode = Extract<
  RunErrorCode,
  'credential_service_unavailable' | 'credential_mint_failed' | 'credential_policy_failed'
>;

/** Stands for the provider configuration in the message of a `MintError`. */
export const mintTarget = '%';

/** The reason why a Run gets no credentials. Its message has no text of an answer, which may repeat what was sent. */
export class MintError extends Error {
  readonly code: MintErrorCode;
  constructor(code: MintErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answer lacks a value that the recipe refers to. */
export const missingValue = (): MintError =>
  new MintError(
    'credential_mint_failed',
    `The credentials issued for ${mintTarget} lack a value that the recipe refers to. Ask the operator to correct the recipe or the service.`,
  );
