import type { VariablePatch } from '#shared/configuration-plans/api';
import type { CapsuleConfiguration, ConfigurationInput } from '#shared/configuration-plans/configuration';
import { writeJson } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { type Entries, type Entry, entryOf, type Input, outcomeOf } from '../../../components/inputs/entry.ts';
import { listInputs } from '../../../components/inputs/list-inputs.ts';
import type { ManifestForm } from '../../../components/inputs/presented-form.ts';

/** Entries that a person changed; all others show the values of the Capsule. */
export type Edits = Entries;

type Editable = ConfigurationInput & { declaration: VariableDeclaration };

/** A value that another Capsule supplies would override a typed one. */
const isEditable = (input: ConfigurationInput): input is Editable =>
  input.changeable && input.declaration !== undefined && input.origin.kind !== 'dependency';
const isStoredSecret = ({ configured, secret }: ConfigurationInput): boolean => configured && secret;
const isSupplied = ({ origin }: ConfigurationInput): boolean => origin.kind === 'connection_default';

/** Returns the inputs of the form of a change. */
export function editableInputs({ inputs }: CapsuleConfiguration, form: ManifestForm | undefined): Input[] {
  const editable = inputs.filter(isEditable);
  const declarations = editable.map((input) => ({
    ...input.declaration,
    hasDefault: isSupplied(input) || !input.required,
    ...(input.secret && { sensitive: true }),
  }));
  const sealedNames = editable.filter(isStoredSecret).map(({ name }) => name);
  return listInputs(declarations, { sealedNames, form });
}

/** Returns the entries of the current values. Secrets have none. */
export function storedEntries({ inputs }: CapsuleConfiguration, fields: readonly Input[]): Entries {
  const known = new Map(inputs.map((input) => [input.name, input]));
  return Object.fromEntries(
    fields.flatMap((field) => {
      const { name } = field.declared;
      const input = known.get(name);
      if (!input?.configured || input.value.status !== 'shown') return [];
      return [[name, entryOf(field, input.value.value as Json)]];
    }),
  );
}

/**
 * Returns an edit with a change. Emptying a field removes its value, but a stored secret is removed only where a person
 * says so.
 */
export function editOf(field: Input | undefined, before: Entry, change: Entry): Entry {
  const isEmptied = 'draft' in change && change.draft === undefined;
  const removal = 'draft' in change && { isRemoved: isEmptied && field?.isSealed !== true };
  return { ...before, ...change, ...removal };
}

/** Values that the module does not declare any more. The server accepts no other change while they stay. */
export const undeclaredNames = ({ inputs, compatibilityReportId }: CapsuleConfiguration): string[] =>
  compatibilityReportId === undefined
    ? []
    : inputs.flatMap((input) => (input.configured && !input.declaration && input.changeable ? [input.name] : []));

type FormState = { fields: readonly Input[]; entries: Entries };

/** Returns the values that change. Untouched ones are left to the server, so that it keeps them as they are. */
export function patchOf(configuration: CapsuleConfiguration, { fields, entries }: FormState): VariablePatch {
  const known = new Map(configuration.inputs.map((input) => [input.name, input]));
  const set: VariablePatch['set'] = {};
  const remove = undeclaredNames(configuration);
  for (const field of fields) {
    const { name } = field.declared;
    const entry = entries[name] ?? {};
    const input = known.get(name);
    const outcome = outcomeOf(field, entry);
    if (outcome.kind === 'value' && !(input && isCurrent(input, outcome.value))) set[name] = outcome.value;
    if (entry.draft === undefined && input?.configured && (!field.isSealed || entry.isRemoved)) remove.push(name);
  }
  return { set, remove };
}

const isCurrent = ({ configured, value }: ConfigurationInput, next: Json): boolean =>
  configured && value.status === 'shown' && writeJson(value.value as Json) === writeJson(next);

/** Returns the edits that differ from the current values, or that cannot be sent yet. */
export function realEdits(configuration: CapsuleConfiguration, fields: readonly Input[], edits: Edits): Edits {
  const entries = { ...storedEntries(configuration, fields), ...edits };
  const { set, remove } = patchOf(configuration, { fields, entries });
  const isReal = (field: Input) => {
    const { name } = field.declared;
    const isWrong = outcomeOf(field, entries[name] ?? {}).kind === 'problem';
    return edits[name] !== undefined && (isWrong || Object.hasOwn(set, name) || remove.includes(name));
  };
  return Object.fromEntries(
    fields.filter(isReal).map(({ declared: { name } }): [string, Entry] => [name, edits[name] ?? {}]),
  );
}

/** Returns the names of inputs whose value or origin differs between two readings. */
export function changedNames(before: CapsuleConfiguration, now: CapsuleConfiguration): string[] {
  const known = new Map(before.inputs.map((input) => [input.name, writeJson(valueFacts(input))]));
  return now.inputs.filter((input) => known.get(input.name) !== writeJson(valueFacts(input))).map(({ name }) => name);
}

const valueFacts = ({ value, origin }: ConfigurationInput): Json => ({ value, origin }) as Json;
