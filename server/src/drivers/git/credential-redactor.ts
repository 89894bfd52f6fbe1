import type { GitCredential } from './git-types.ts';

const mark = '[redacted]';
/** A shorter rest at the end of a text that was cut says nothing. */
const shortestRest = 6;

/** The texts by which a credential may come back in a server's own words. */
const formsOf = ({ username, password }: GitCredential): string[] => {
  const pair = `${username}:${password}`;
  const forms = [password, encodeURIComponent(password), Buffer.from(pair).toString('base64')];
  const parts = [Buffer.from(password).toString('base64'), Buffer.from(password).toString('hex')];
  return [...new Set([...forms, ...parts])].sort((left, right) => right.length - left.length);
};

/** Takes a credential out of what a person is told: a server may repeat what it was sent, and its words may be cut anywhere. */
export function createCredentialRedactor(credential: GitCredential | undefined): (text: string) => string {
  if (!credential || credential.password === '') return (text) => text;
  const forms = formsOf(credential);
  return (text) => {
    const whole = forms.reduce((rest, form) => rest.replaceAll(form, mark), text);
    return forms.reduce(withoutRest, whole);
  };
}

/** Cuts the begin of a form off the end of a text, with whatever mark of a cut stands behind it. */
function withoutRest(text: string, form: string): string {
  const end = /[….\s]*$/.exec(text)?.index ?? text.length;
  for (let length = Math.min(form.length - 1, end); length >= shortestRest; length -= 1)
    if (text.slice(0, end).endsWith(form.slice(0, length))) return `${text.slice(0, end - length)}${mark}`;
  return text;
}
