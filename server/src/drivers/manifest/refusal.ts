import type { ManifestRefusal } from '#shared/manifest/contract';
import { isSecretLike } from '#shared/secret-like';

/** Ends a compilation. The message names locations and identifiers, never a value of the document. */
export class Refusal extends Error {
  readonly code: ManifestRefusal;
  constructor(code: ManifestRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

const longestShown = 80;
/** Returns an identifier for a message; one that could itself be a secret is left out. */
export const named = (noun: string, name: string): string =>
  name.length > longestShown || isSecretLike(name) ? `${noun} that the manifest names` : `${noun} "${name}"`;
