import { writeJson } from '#shared/kernel/exact-number';

type Values = Readonly<Record<string, unknown>>;

/** Names that a POSIX shell accepts for a variable. */
const shellName = /^[A-Za-z_]\w*$/;
/** Text that needs no quotes in a shell. */
const plain = /^[\w./:@%+,-]+$/;

const shellQuoted = (text: string): string => (plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns Outputs as one JSON object. Numbers keep their digits. */
export const outputsAsJson = (values: Values): string => `${writeJson(values, 2)}\n`;

/**
 * Returns Outputs as `NAME=value` lines that a POSIX shell reads, and the names that no shell variable can have. A value
 * that is not a string is written as JSON.
 */
export function outputsAsEnvironment(values: Values): { text: string; skipped: string[] } {
  const entries = Object.entries(values);
  const lines = entries
    .filter(([name]) => shellName.test(name))
    .map(([name, value]) => `${name}=${shellQuoted(typeof value === 'string' ? value : writeJson(value))}\n`);
  const skipped = entries.map(([name]) => name).filter((name) => !shellName.test(name));
  return { text: lines.join(''), skipped };
}
