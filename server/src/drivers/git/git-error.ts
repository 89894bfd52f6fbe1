import type { RunErrorCode } from '#shared/errors';

/** Error codes of Git work. */
export type GitErrorCode = Extract<RunErrorCode, `source_${string}` | 'disk_full'>;

/**
 * Failure of Git work: a `source_*` code (or `disk_full`) of the Run errors and a sentence for a person, without any
 * credential.
 */
export class GitError extends Error {
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string) {
    super(message);
    this.name = 'GitError';
    this.code = code;
  }
}

/** Creates the error for a repository that holds something unsafe or unsupported. */
export const refused = (message: string): GitError => new GitError('source_fetch_refused', message);
/** Creates the error for a repository over one of the limits. */
export const tooLarge = (message: string): GitError => new GitError('source_too_large', message);
/** Creates the error for bytes that Git does not write. */
export const damaged = (what: string): GitError => refused(`The repository is damaged: ${what}. Run git fsck on it.`);

const maxServerText = 200;

/** Makes text of a server safe to display: printable ASCII in one line, at most 200 characters. */
export function plainServerText(bytes: Uint8Array | string): string {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  const plain = text.replace(/[^\x20-\x7e]+/g, ' ').trim();
  return plain.length > maxServerText ? `${plain.slice(0, maxServerText)}…` : plain;
}

/** Creates the error for a request that the server ended with its own message. */
export const endedByServer = (text: Uint8Array | string): GitError =>
  new GitError('source_sync_failed', `The Git server ended the request: ${plainServerText(text)}`);
