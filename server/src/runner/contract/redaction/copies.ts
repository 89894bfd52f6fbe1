import { buildAutomaton } from './automaton.ts';
import { type Pattern, wholeTokenBelowBytes } from './encodings.ts';
import { scan } from './scan.ts';
import { base64Forms } from './unaligned.ts';

/**
 * Creates a test whether a text is one of many texts, or contains one of at least 8 bytes, as it is or in an encoding
 * that a module can produce: base64, hex, percent-encoding, JSON. It has a tenth of the patterns of a redactor, so that
 * it can be built for the thousands of sensitive values of a state.
 */
export function createCopyTest(texts: Iterable<string>): (text: string) => boolean {
  const whole = new Set<string>();
  const embedded = new Map<string, Pattern>();
  for (const text of texts) {
    if (text === '') continue;
    whole.add(text);
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length < wholeTokenBelowBytes) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) whole.add(bytes.toString(encoding));
      continue;
    }
    for (const form of copyForms(text, bytes))
      embedded.set(form, { bytes: Buffer.from(form, 'utf8'), wholeToken: false });
  }
  const automaton = embedded.size === 0 ? undefined : buildAutomaton([...embedded.values()]);
  return (text) => {
    if (whole.has(text)) return true;
    if (automaton === undefined || text.length < wholeTokenBelowBytes) return false;
    return scan(automaton, { bytes: Buffer.from(text, 'utf8'), before: undefined, isLast: true }).covered.length > 0;
  };
}

function copyForms(text: string, bytes: Buffer): Set<string> {
  const hex = bytes.toString('hex');
  const component = encodeURIComponent(text.toWellFormed());
  return new Set([
    text,
    JSON.stringify(text).slice(1, -1),
    component,
    component.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
  ]);
}
