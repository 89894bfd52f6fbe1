import type { RunErrorCode } from '#shared/errors';

/** Codes that Git work can end with. */
export type GitErrorCode = Extract<RunErrorCode, `source_${string}` | 'disk_full'>;

/** Why Git work failed: a `source_*` code (or `disk_full`) of the run errors and a sentence for a person, without any credential. */
export class GitError extends Error {
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string) {
    super(message);
    this.name = 'GitError';
    this.code = code;
  }
}

/** The repository holds something that must not be used, or that this reader does not trust. */
export const refused = (message: string): GitError => new GitError('source_fetch_refused', message);
/** The repository is over one of the limits. */
export const tooLarge = (message: string): GitError => new GitError('source_too_large', message);
/** The bytes are not what Git writes: said the same way wherever it shows. */
export const damaged = (what: string): GitError => refused(`The repository is damaged: ${what}. Run git fsck on it.`);

const maxServerText = 200;

/** Text of a server made safe to show: printable ASCII in one line, at most 200 characters. */
export function plainServerText(bytes: Uint8Array | string): string {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  const plain = text.replace(/[^\x20-\x7e]+/g, ' ').trim();
  return plain.length > maxServerText ? `${plain.slice(0, maxServerText)}…` : plain;
}

/** The server gave up with words of its own. */
export const endedByServer = (text: Uint8Array | string): GitError =>
  new GitError('source_sync_failed', `The Git server ended the request: ${plainServerText(text)}`);
