import type { Diagnostic } from './types.ts';

export type TofuErrorCode =
  | 'configuration_invalid'
  | 'tool_unavailable'
  | 'tool_download_failed'
  | 'tool_build_failed'
  | 'state_unreadable'
  | 'plan_unreadable'
  | 'lock_unreadable'
  | 'seal_broken'
  | 'provider_package_refused';

export type TofuErrorDetails = {
  argv?: readonly string[];
  exitCode?: number;
  diagnostics?: readonly Diagnostic[];
  cause?: unknown;
};

/**
 * Error of the tofu driver: a code, a sentence for a person that holds no value of a file, and the command that ran.
 */
export class TofuError extends Error {
  readonly code: TofuErrorCode;
  readonly argv?: readonly string[];
  readonly exitCode?: number;
  readonly diagnostics?: readonly Diagnostic[];

  constructor(code: TofuErrorCode, message: string, details: TofuErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TofuError';
    this.code = code;
    if (details.argv !== undefined) this.argv = details.argv.map(maskArgument);
    if (details.exitCode !== undefined) this.exitCode = details.exitCode;
    if (details.diagnostics !== undefined) this.diagnostics = details.diagnostics;
  }
}

/** Masks a `-var` argument, which carries a value; only the name of the variable is shown. */
const maskArgument = (argument: string): string => argument.replace(/^(--?var[= ][^=]*=).*$/s, '$1[redacted]');
