import type { Json } from '#shared/kernel/json';
import { type Entries, type Input, outcomeOf } from './entry.ts';

/** Returns the names of the inputs that cannot be sent, in the order of the form. */
export const findProblems = (inputs: readonly Input[], entries: Entries): string[] =>
  inputs
    .filter((input) => outcomeOf(input, entries[input.declared.name] ?? {}).kind === 'problem')
    .map(({ declared }) => declared.name);

type Values = { variables: Record<string, Json>; secretVariables: string[] };

/** Returns the values of the form. Untouched inputs are left to the module's defaults. */
export function valuesOf(inputs: readonly Input[], entries: Entries): Values {
  const values: Values = { variables: {}, secretVariables: [] };
  for (const input of inputs) {
    const { name, sensitive } = input.declared;
    const entry = entries[name] ?? {};
    const outcome = outcomeOf(input, entry);
    if (outcome.kind !== 'value') continue;
    values.variables[name] = outcome.value;
    if (entry.isSecret && !sensitive) values.secretVariables.push(name);
  }
  return values;
}

/** Returns the names of the inputs with a value. */
export const namesOf = (inputs: readonly Input[], entries: Entries): string[] =>
  Object.keys(valuesOf(inputs, entries).variables);
