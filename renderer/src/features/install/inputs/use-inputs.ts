import { useCallback, useEffect, useMemo, useState } from 'react';
import { listPresentedVariables } from '#shared/configs/presented-variables';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { asName } from '../address.ts';
import type { Checked } from '../checked.ts';
import { type AskedForm, askedForm, hasRole, inOrder, isAsked } from './asked.ts';
import { type Entry, entryOf, type Input, inputOf } from './entry.ts';
import { type Kept, readKept, writeKept } from './kept.ts';
import type { KeptCapsule } from './use-kept-capsule.ts';

/** In the order they are shown: what must be answered comes first. */
const inRows = (inputs: readonly Input[]): Input[] => [
  ...inputs.filter(({ isRequired }) => isRequired),
  ...inputs.filter(({ isRequired }) => !isRequired),
];

/** All that the module declares, or what its manifest asks for. */
function inputsOf(
  declarations: readonly VariableDeclaration[],
  { sealedNames, form }: { sealedNames: readonly string[] | undefined; form: AskedForm | undefined },
): Input[] {
  if (!form) return inRows(declarations.map((declared) => inputOf(declared, sealedNames)));
  const known = new Map(declarations.map((declared) => [declared.name, declared]));
  const asked = form.fields.filter(isAsked).flatMap((field) => {
    const declared = known.get(field.name);
    return declared ? [inputOf(declared, sealedNames, field)] : [];
  });
  return inOrder(form, asked);
}

/** What was typed as the name of the service, as a name of the Capsule. */
export function serviceName(form: AskedForm | undefined, entries: Kept['entries']): string | undefined {
  const field = form?.fields.find(({ name }) => hasRole(form, 'service_name', name));
  const draft = field && entries[field.name]?.draft;
  return (draft?.kind === 'text' && asName(draft.text, 70)) || undefined;
}

const valueEntries = (inputs: readonly Input[], values: KeptCapsule['values']): Kept['entries'] =>
  Object.fromEntries(
    inputs.flatMap((input) => {
      const value = values[input.declared.name];
      return value === undefined ? [] : [[input.declared.name, entryOf(input, value)]];
    }),
  );

/** What is typed, kept for the tab under the snapshot and the module. */
export function useInputs({ report, config }: Checked, capsule: KeptCapsule | undefined) {
  const ownForm = useMemo(() => config && askedForm(config), [config]);
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
  const [kept, setKept] = useState(() => ({
    ...readKept(owner, modulePath),
    ...(isInstalled && {
      entries: { ...valueEntries(inputs, capsule.values), ...readKept(owner, modulePath).entries },
    }),
  }));
  useEffect(
    () =>
      writeKept(
        { snapshotId: owner, modulePath },
        kept,
        inputs.map(({ declared }) => declared),
      ),
    [owner, modulePath, kept, inputs],
  );
  const setEntry = useCallback(
    (name: string, change: Entry) =>
      setKept((now) => ({ ...now, entries: { ...now.entries, [name]: { ...now.entries[name], ...change } } })),
    [],
  );
  const setPart = useCallback(
    (change: Omit<Partial<Kept>, 'entries'>) => setKept((now) => ({ ...now, ...change })),
    [],
  );
  return { form, inputs, kept, setEntry, setPart };
}
