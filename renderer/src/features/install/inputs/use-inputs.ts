import { useCallback, useEffect, useMemo, useState } from 'react';
import { listPresentedVariables } from '#shared/install-configs/presented-variables';
import { type Entry, entryOf, type Input } from '../../../components/inputs/entry.ts';
import { listInputs } from '../../../components/inputs/list-inputs.ts';
import { findManifestForm, hasRole, type ManifestForm } from '../../../components/inputs/presented-form.ts';
import { readSavedInputs, type SavedInputs, writeSavedInputs } from '../../../components/inputs/saved-inputs.ts';
import { asName } from '../address.ts';
import type { Checked } from '../checked.ts';
import type { ExistingCapsule } from './use-existing-capsule.ts';

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

/** Entries typed in this tab. For an existing Capsule also its values, and only the Outputs that fill its inputs now. */
function startEntries(
  inputs: readonly Input[],
  capsule: ExistingCapsule | undefined,
  typed: SavedInputs['entries'],
): SavedInputs['entries'] {
  const known = { ...(capsule?.isInstalled && valueEntries(inputs, capsule.values)), ...typed };
  return Object.fromEntries(
    inputs.map(({ declared: { name } }) => {
      const { output: chosen, isChoosing: _open, isStored, ...entry } = known[name] ?? {};
      if (!capsule) return [name, isStored ? entry : { ...entry, output: chosen }];
      const output = capsule.outputs[name];
      return [name, { ...entry, ...(output && { output, isStored: true }) }];
    }),
  );
}

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
  const inputs = useMemo(() => listInputs(declarations, { sealedNames, form }), [declarations, sealedNames, form]);
  const [saved, setSaved] = useState(() => {
    const stored = readSavedInputs({ ownerId: owner, part: modulePath });
    const entries = startEntries(inputs, capsule, stored.entries);
    return { ...stored, entries };
  });
  useEffect(
    () =>
      writeSavedInputs(
        { ownerId: owner, part: modulePath },
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
