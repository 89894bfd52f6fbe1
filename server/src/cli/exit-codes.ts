/** Exit codes of every command; `interrupted` is the code that a shell reports for Ctrl-C. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2, waits: 3, interrupted: 130 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Error that ends a command: a message for a person, a code for a program, and the exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  constructor(message: string, { exitCode, code }: { exitCode: ExitCode; code: string }) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export const wrongUse = (message: string): CommandError =>
  new CommandError(message, { exitCode: exitCodes.wrongUse, code: 'wrong_use' });
export const failed = (code: string, message: string): CommandError =>
  new CommandError(message, { exitCode: exitCodes.failed, code });
