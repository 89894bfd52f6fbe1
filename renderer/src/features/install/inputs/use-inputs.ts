import { useCallback, useEffect, useMemo, useState } from 'react';
import { listPresentedVariables } from '#shared/install-configs/presented-variables';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { asName } from '../address.ts';
import type { Checked } from '../checked.ts';
import { type Entry, entryOf, type Input, inputOf } from './entry.ts';
import { findManifestForm, hasRole, inOrder, isUserInput, type ManifestForm } from './presented-form.ts';
import { readSavedInputs, type SavedInputs, writeSavedInputs } from './saved-inputs.ts';
import type { ExistingCapsule } from './use-existing-capsule.ts';

/** Inputs in the order of the page: required ones first. */
const inRows = (inputs: readonly Input[]): Input[] => [
  ...inputs.filter(({ isRequired }) => isRequired),
  ...inputs.filter(({ isRequired }) => !isRequired),
];

/** All variables of the module, or those that its manifest presents. */
function inputsOf(
  declarations: readonly VariableDeclaration[],
  { sealedNames, form }: { sealedNames: readonly string[] | undefined; form: ManifestForm | undefined },
): Input[] {
  if (!form) return inRows(declarations.map((declared) => inputOf(declared, sealedNames)));
  const known = new Map(declarations.map((declared) => [declared.name, declared]));
  const userInputs = form.fields.filter(isUserInput).flatMap((field) => {
    const declared = known.get(field.name);
    return declared ? [inputOf(declared, sealedNames, field)] : [];
  });
  return inOrder(form, userInputs);
}

/** Returns the typed service name, converted to a Capsule name. */
export function serviceName(form: ManifestForm | undefined, entries: SavedInputs['entries']): string | undefined {
  const field = form?.fields.find(({ name }) => hasRole(form, 'service_name', name));
  const draft = field && entries[field.name]?.draft;
  return (draft?.kind === 'text' && asName(draft.text, 70)) || undefined;
}

const valueEntries = (inputs: readonly Input[], values: ExistingCapsule['values']): SavedInputs['entries'] =>
  Object.fromEntries(
    inputs.flatMap((input) => {
      const value = values[input.declared.name];
      return value === undefined ? [] : [[input.declared.name, entryOf(input, value)]];
    }),
  );

/** State of the typed inputs, stored per tab, snapshot and module. */
export function useInputs({ report, config }: Checked, capsule: ExistingCapsule | undefined) {
  const ownForm = useMemo(() => config && findManifestForm(config), [config]);
  const form = capsule ? capsule.form : ownForm;
  const isInstalled = capsule?.isInstalled === true;
  const { sourceSnapshotId: snapshotId, modulePath, rootModuleVariableDeclarations } = report;
  const owner = isInstalled ? capsule.id : snapshotId;
  const isPlain = ownForm === undefined && !capsule;
  const declarations = useMemo(() => {
    const declared = rootModuleVariableDeclarations ?? [];
    return isPlain && config ? listPresentedVariables(declared, config) : declared;
  }, [rootModuleVariableDeclarations, config, isPlain]);
  const sealedNames = capsule?.sealedNames;
  const inputs = useMemo(() => inputsOf(declarations, { sealedNames, form }), [declarations, sealedNames, form]);
  const [saved, setSaved] = useState(() => ({
    ...readSavedInputs(owner, modulePath),
    ...(isInstalled && {
      entries: { ...valueEntries(inputs, capsule.values), ...readSavedInputs(owner, modulePath).entries },
    }),
  }));
  useEffect(
    () =>
      writeSavedInputs(
        { snapshotId: owner, modulePath },
        saved,
        inputs.map(({ declared }) => declared),
      ),
    [owner, modulePath, saved, inputs],
  );
  const setEntry = useCallback(
    (name: string, change: Entry) =>
      setSaved((now) => ({ ...now, entries: { ...now.entries, [name]: { ...now.entries[name], ...change } } })),
    [],
  );
  const setPart = useCallback(
    (change: Omit<Partial<SavedInputs>, 'entries'>) => setSaved((now) => ({ ...now, ...change })),
    [],
  );
  return { form, inputs, saved, setEntry, setPart };
}
