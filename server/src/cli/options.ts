import { parseArgs } from 'node:util';
import { wrongUse } from './exit-codes.ts';
import { commandNames, type OptionName, optionTypes, termsOf } from './terms.ts';

/** What was asked for, told apart: the command, its options and the words behind it. */
export type Asked = {
  name: string;
  words: readonly string[];
  options: OptionValues;
  wantsHelp: boolean;
};
export type OptionValues = { [K in OptionName]?: ValueOf<(typeof optionTypes)[K]> };
type ValueOf<T> = T extends { multiple: true } ? string[] : T extends { type: 'boolean' } ? boolean : string;

/** Reads a command line. Throws `CommandError` (wrong use) for what is unknown or does not belong to the command. */
export function readCommandLine(argv: string[]): Asked {
  const { values, positionals } = parse(argv);
  const isHelp = positionals[0] === 'help';
  const spoken = isHelp ? positionals.slice(1) : positionals;
  const { help, ...options } = values as OptionValues & { help?: boolean };
  const name = nameOf(spoken);
  const words = spoken.slice(name === '' ? 0 : name.split(' ').length);
  const wantsHelp = isHelp || help === true;
  if (name === '' && words.length > 0) throw wrongUse(`There is no command "${words[0]}".`);
  if (!wantsHelp && name !== '') checkTerms(name, words, options);
  return { name, words, options, wantsHelp };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: optionTypes, allowPositionals: true });
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw wrongUse((error as Error).message);
  }
}

/** The longest command that the words begin with; empty for none. */
const nameOf = (spoken: readonly string[]): string =>
  [spoken.slice(0, 2).join(' '), spoken[0] ?? ''].find((name) => commandNames.includes(name)) ?? '';

function checkTerms(name: string, words: readonly string[], options: OptionValues): void {
  const { takes, words: wanted } = termsOf(name);
  const stray = Object.keys(options).find((option) => !takes.includes(option as OptionName));
  if (stray !== undefined) throw wrongUse(`groundctl ${name} takes no --${stray}.`);
  if (words.length > wanted.length) throw wrongUse(`groundctl ${name} takes no "${words[wanted.length]}".`);
  const missing = wanted[words.length];
  if (missing !== undefined) throw wrongUse(`groundctl ${name} needs ${missing}.`);
}
