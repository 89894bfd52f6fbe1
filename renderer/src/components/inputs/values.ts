import type { Json } from '#shared/kernel/json';
import type { OutputChoice } from '../outputs/output-choice.ts';
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

/** Returns the Outputs that fill inputs, by the name of the input. Those of a Capsule that has them already are left out. */
export const outputsOf = (inputs: readonly Input[], entries: Entries): Record<string, OutputChoice> =>
  Object.fromEntries(
    inputs.flatMap((input) => {
      const { name } = input.declared;
      const outcome = outcomeOf(input, entries[name] ?? {});
      return outcome.kind === 'output' && !entries[name]?.isStored ? [[name, outcome.output]] : [];
    }),
  );

/** Returns the names of the inputs that have a value or an Output. */
export const namesOf = (inputs: readonly Input[], entries: Entries): string[] =>
  inputs
    .map(({ declared }) => declared.name)
    .filter((name) => entries[name]?.output !== undefined || Object.hasOwn(valuesOf(inputs, entries).variables, name));
