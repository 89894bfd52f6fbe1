import { parseArgs } from 'node:util';
import { wrongUse } from './exit-codes.ts';
import { commandNames, type OptionName, optionTypes, termsOf } from './terms/index.ts';

/** Parsed command line: the command, its options and its arguments. */
export type ParsedCommand = {
  name: string;
  args: readonly string[];
  options: OptionValues;
  wantsHelp: boolean;
};
export type OptionValues = { [K in OptionName]?: ValueOf<(typeof optionTypes)[K]> };
type ValueOf<T> = T extends { multiple: true } ? string[] : T extends { type: 'boolean' } ? boolean : string;

/** Parses a command line. Throws `CommandError` (wrong use) for unknown options and for options of another command. */
export function readCommandLine(argv: string[]): ParsedCommand {
  const { values, positionals } = parse(argv);
  const isHelp = positionals[0] === 'help';
  const spoken = isHelp ? positionals.slice(1) : positionals;
  const { help, ...options } = values as OptionValues & { help?: boolean };
  const name = nameOf(spoken);
  const args = spoken.slice(name === '' ? 0 : name.split(' ').length);
  const wantsHelp = isHelp || help === true;
  if (name === '' && args.length > 0) throw wrongUse(`There is no command "${args[0]}".`);
  if (!wantsHelp && name !== '') checkTerms(name, args, options);
  return { name, args, options, wantsHelp };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: optionTypes, allowPositionals: true });
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw wrongUse((error as Error).message);
  }
}

/** Returns the longest command name that the arguments start with; empty for none. */
const nameOf = (spoken: readonly string[]): string =>
  [3, 2, 1].map((count) => spoken.slice(0, count).join(' ')).find((name) => commandNames.includes(name)) ?? '';

function checkTerms(name: string, args: readonly string[], options: OptionValues): void {
  const { takes, argNames: wanted, takesMore } = termsOf(name);
  const stray = Object.keys(options).find((option) => !takes.includes(option as OptionName));
  if (stray !== undefined) throw wrongUse(`groundctl ${name} does not accept --${stray}.`);
  if (args.length > wanted.length && !takesMore)
    throw wrongUse(`groundctl ${name} does not accept "${args[wanted.length]}".`);
  const missing = wanted[args.length];
  if (missing !== undefined) throw wrongUse(`groundctl ${name} needs ${missing}.`);
}
