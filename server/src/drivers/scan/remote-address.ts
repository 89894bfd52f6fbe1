import { isSecretLike } from '#shared/secret-like';

const longest = 120;

/** Returns the address of a remote module for a message: without credentials and query, undefined for a secret. */
export function shownAddress(source: string): string | undefined {
  const [plain = ''] = source.replace(/(:\/\/)[^/?#]*@/, '$1').split(/[?#]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const text = plain.replace(/[\u0000-\u001f\u007f]/g, '').trim();
  if (text === '' || isSecretLike(text)) return undefined;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
