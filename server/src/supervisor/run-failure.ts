import type { FailedOutcome, Phase } from '../runner/contract/execution-spec.ts';

/** Ends a Run before a plan exists or before an apply was dispatched. */
export class RunFailure extends Error {
  readonly errorCode: FailedOutcome['errorCode'];
  readonly phase: Phase;

  constructor(errorCode: FailedOutcome['errorCode'], phase: Phase, message: string) {
    super(message);
    this.name = 'RunFailure';
    this.errorCode = errorCode;
    this.phase = phase;
  }
}
