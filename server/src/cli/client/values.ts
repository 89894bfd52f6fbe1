import { readFileSync } from 'node:fs';
import { ExactNumber } from '#shared/kernel/exact-number';
import { isJsonObject, type Json, JsonError, parseStrictJson } from '#shared/kernel/json';
import { VariableName } from '#shared/kernel/scalars';
import { limits } from '#shared/limits';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { parseLiteral } from '#shared/variables/literal';
import { parseType, type VariableType } from '#shared/variables/type-expression';
import { checkValue } from '#shared/variables/value';
import { wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';

/** Values as typed, before the module is known. */
export type TypedValues = {
  files: ReadonlyMap<string, Json>;
  texts: ReadonlyMap<string, string>;
  secrets: readonly string[];
};

/** Splits `--var`, reads `--var-file`, and rejects what is wrong for any module, so that nothing is fetched for a typo. */
export function readTypedValues(options: OptionValues): TypedValues {
  const texts = new Map((options.var ?? []).map(splitPair));
  const secrets = options['secret-var'] ?? [];
  for (const name of secrets) requireSecretName(name, texts);
  if (new Set(secrets).size < secrets.length) throw wrongUse('--secret-var names a variable twice.');
  const files = new Map((options['var-file'] ?? []).flatMap(readVariableFile));
  return { files, texts, secrets };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0));
  if (at < 1 || !VariableName.safeParse(name).success)
    throw wrongUse('A variable takes NAME=VALUE, as in region=eu-west-1.');
  return [name, pair.slice(at + 1)];
}

function requireSecretName(name: string, texts: ReadonlyMap<string, string>): void {
  // The typed text may be a secret, so it is not repeated.
  if (name.includes('='))
    throw wrongUse(
      '--secret-var takes a name alone: a value here is seen by every program of this machine. Put it into GROUNDCTL_VAR_NAME or into standard input, and change that secret.',
    );
  if (!VariableName.safeParse(name).success) throw wrongUse('--secret-var takes the name of a variable.');
  if (texts.has(name)) throw wrongUse(`A value and --secret-var both name "${name}". Leave one out.`);
}

function readVariableFile(file: string): [string, Json][] {
  const parsed = parseFile(file);
  if (!isJsonObject(parsed)) throw wrongUse(`${file} does not contain a JSON object of variables.`);
  const entries = Object.entries(parsed);
  const odd = entries.find(([name]) => !VariableName.safeParse(name).success);
  if (odd) throw wrongUse(`${file} has a member that cannot be the name of a variable.`);
  return entries;
}

function parseFile(file: string): Json {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw wrongUse(`${file} cannot be read.`);
  }
  if (text.length > limits.variablesBytes) throw wrongUse(`${file} is larger than ${limits.variablesBytes} bytes.`);
  return file.endsWith('.tfvars') ? parseAssignments(file, text) : parseDocument(file, text);
}

/** Reads the assignments of a `.tfvars` file, which are those of an object without its braces. */
function parseAssignments(file: string, text: string): Json {
  const values = parseLiteral(`{\n${text}\n}`);
  if (values !== undefined) return values;
  throw wrongUse(`${file} has a value that is not a plain literal, such as a heredoc. Write the variables as JSON.`);
}

function parseDocument(file: string, text: string): Json {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw wrongUse(`${file} cannot be used: ${error.message} Variables files are JSON, or end in .tfvars.`);
  }
}

/** Values as sent; the server seals the secret ones. */
export type SentValues = { variables: Record<string, Json>; secretVariables: string[] };
type Fit = {
  declarations: readonly VariableDeclaration[];
  typed: TypedValues;
  secretTexts: ReadonlyMap<string, string>;
};

/**
 * Parses each text by the type that the module declares. Throws `CommandError` (wrong use) for an unknown name, a value
 * that does not fit, and a sensitive variable whose value is on the command line. The error never contains a value.
 */
export function fitValues({ declarations, typed, secretTexts }: Fit): SentValues {
  const known = new Map(declarations.map((declared) => [declared.name, declared]));
  const values = new Map<string, Json>();
  for (const [name, value] of typed.files) values.set(name, requireFit(requireKnown(known, name), value));
  for (const [name, text] of typed.texts) {
    const declared = requireKnown(known, name);
    if (declared.sensitive)
      throw wrongUse(
        `The module declares "${name}" sensitive. Set it with --secret-var ${name}: other users of this machine can see a command line.`,
      );
    values.set(name, requireFit(declared, readText(declared, text)));
  }
  for (const [name, text] of secretTexts) {
    const declared = requireKnown(known, name);
    values.set(name, requireFit(declared, readText(declared, text)));
  }
  return { variables: Object.fromEntries(values), secretVariables: [...secretTexts.keys()] };
}

/** Returns the names of the variables that other inputs set. Throws `CommandError` (wrong use) for one that the module does not have. */
export function requireKnownNames(
  declarations: readonly VariableDeclaration[],
  inputs: readonly { variable: string }[],
): string[] {
  const known = new Map(declarations.map((declared) => [declared.name, declared]));
  return inputs.map(({ variable }) => requireKnown(known, variable).name);
}

function requireKnown(known: ReadonlyMap<string, VariableDeclaration>, name: string): VariableDeclaration {
  const declared = known.get(name);
  if (declared) return declared;
  const names = [...known.keys()].sort().join(', ');
  throw wrongUse(`The module has no variable "${name}". ${names === '' ? 'It has none.' : `It has: ${names}.`}`);
}

const typeOf = ({ typeText }: VariableDeclaration): VariableType | undefined =>
  typeText === undefined ? undefined : parseType(typeText);

function requireFit(declared: VariableDeclaration, value: Json): Json {
  const type = typeOf(declared);
  const check = type && checkValue(type, value, { nullable: declared.nullable ?? true });
  if (!check || check.ok) return value;
  const position = check.pointer && ` at ${check.pointer}`;
  throw wrongUse(
    `The variable "${declared.name}"${position} does not fit its type, ${declared.typeText}. ${check.message}`,
  );
}

/** Reads a value as the tool reads `-var`: strings are literal, everything else is an expression or JSON. */
export function readText(declared: VariableDeclaration, text: string): Json {
  const type = typeOf(declared);
  if (declared.typeText === undefined || type?.kind === 'string') return text;
  if (type?.kind === 'number' && text.trim() !== 'null') return ExactNumber.read(text.trim()) ?? text.trim();
  if (type?.kind === 'bool' && text.trim() !== 'null')
    return text.trim() === 'true' ? true : text.trim() === 'false' ? false : text;
  const value = parseLiteral(text) ?? parseJson(text);
  if (value !== undefined) return value;
  throw wrongUse(
    `The value of "${declared.name}" cannot be read. Its type is ${declared.typeText}: write it as JSON, in quotes of your shell.`,
  );
}

function parseJson(text: string): Json | undefined {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

/** Returns the variables that still need a value, each with its description. */
export const missingValues = (
  declarations: readonly VariableDeclaration[],
  { variables }: SentValues,
  defaults: readonly string[],
): VariableDeclaration[] =>
  declarations.filter(
    ({ name, hasDefault }) => !hasDefault && !Object.hasOwn(variables, name) && !defaults.includes(name),
  );
