import type { Environment } from '../../kernel/settings.ts';
import { wrongUse } from '../exit-codes.ts';
import type { Terminal } from './terminal.ts';

const variableOf = (name: string): string => `GROUNDCTL_VAR_${name}`;

/**
 * Reads the values of secret variables from the environment, else from the terminal without echo, else from standard
 * input. A single variable takes all of standard input, so that a multi-line key can be given; several variables take
 * one line each, in order.
 */
export async function readSecretValues(
  names: readonly string[],
  terminal: Pick<Terminal, 'isInteractive' | 'promptHidden' | 'readInput'>,
  env: Environment = process.env,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const open: string[] = [];
  for (const name of names) {
    const value = env[variableOf(name)];
    if (value === undefined) open.push(name);
    else values.set(name, value);
  }
  if (open.length === 0) return values;
  const texts = terminal.isInteractive
    ? await promptEach(open, terminal)
    : split(await terminal.readInput(), open.length);
  for (const [at, name] of open.entries()) {
    const text = texts[at];
    if (text === undefined || text === '')
      throw wrongUse(`There is no value for "${name}". Set ${variableOf(name)}, or give it on standard input.`);
    values.set(name, text);
  }
  return values;
}

async function promptEach(names: readonly string[], terminal: Pick<Terminal, 'promptHidden'>): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names) texts.push(await terminal.promptHidden(`${name}: `));
  return texts;
}

const split = (text: string, count: number): string[] =>
  count === 1 ? [text.replace(/\r?\n$/, '')] : text.split(/\r?\n/);
