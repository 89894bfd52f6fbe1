import type { GitCredential } from './git-types.ts';

const mark = '[redacted]';
/** Shorter fragments at the end of a cut text reveal nothing. */
const shortestRest = 6;

/** Returns the forms in which a credential may appear in a server's text. */
const formsOf = ({ username, password }: GitCredential): string[] => {
  const pair = `${username}:${password}`;
  const forms = [password, encodeURIComponent(password), Buffer.from(pair).toString('base64')];
  const parts = [Buffer.from(password).toString('base64'), Buffer.from(password).toString('hex')];
  return [...new Set([...forms, ...parts])].sort((left, right) => right.length - left.length);
};

/**
 * Creates a function that removes a credential from text shown to a person: a server may echo it, and its text may be
 * cut anywhere.
 */
export function createCredentialRedactor(credential: GitCredential | undefined): (text: string) => string {
  if (!credential || credential.password === '') return (text) => text;
  const forms = formsOf(credential);
  return (text) => {
    const whole = forms.reduce((rest, form) => rest.replaceAll(form, mark), text);
    return forms.reduce(withoutRest, whole);
  };
}

/** Removes the beginning of a form from the end of a text, including a truncation mark after it. */
function withoutRest(text: string, form: string): string {
  const end = /[\u2026.\s]*$/.exec(text)?.index ?? text.length;
  for (let length = Math.min(form.length - 1, end); length >= shortestRest; length -= 1)
    if (text.slice(0, end).endsWith(form.slice(0, length))) return `${text.slice(0, end - length)}${mark}`;
  return text;
}
