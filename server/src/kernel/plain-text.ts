import { isSecretLike } from '#shared/secret-like';
import { invalidArgument } from './errors.ts';

/** Throws 400 for a text of a person that looks like a credential: everyone in the Workspace reads it. */
export function requirePlain(member: 'reason' | 'note', text: string | undefined): void {
  if (text === undefined || !isSecretLike(text)) return;
  const message = `The ${member} contains something that looks like a credential. Remove it.`;
  throw invalidArgument('secret_like_value', message, { field: `/${member}` });
}
