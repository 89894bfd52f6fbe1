import { useCallback, useEffect, useMemo, useState } from 'react';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { Entry } from '../../../components/inputs/entry.ts';
import type { ManifestForm } from '../../../components/inputs/presented-form.ts';
import { deleteSavedInputs, readSavedInputs, writeSavedInputs } from '../../../components/inputs/saved-inputs.ts';
import type { Chosen } from '../../../components/provider-bindings/tuples.ts';
import { changedNames, type Edits, editableInputs, editOf, patchOf, realEdits, storedEntries } from './changes.ts';

const locationOf = (capsuleId: string) => ({ ownerId: capsuleId, part: '#configuration' });

/** Reports whether a change of this Capsule was typed before the page was reloaded. */
export function hasSavedChange(capsuleId: string): boolean {
  const { entries, chosen } = readSavedInputs(locationOf(capsuleId));
  return Object.keys(entries).length > 0 || chosen !== undefined;
}
export const discardSavedChange = (capsuleId: string): void => deleteSavedInputs(locationOf(capsuleId));

/**
 * State of a change: the configuration that it started from, and what was typed since. A newer configuration takes
 * effect only when the person loads it, because the server compares with the one that they saw.
 */
export function useChange(latest: CapsuleConfiguration, form: ManifestForm | undefined) {
  const [start, setStart] = useState(latest);
  const [isSent, setSent] = useState(false);
  const isOther = latest.change.authorityGuard !== start.change.authorityGuard;
  // A new Dependency or Connection changes what supplies a value, but not the configuration itself.
  const base = isOther ? start : latest;
  const { capsuleId } = base;
  const [edits, setEdits] = useState<Edits>(() => readSavedInputs(locationOf(capsuleId)).entries);
  const [chosen, setChosen] = useState<Chosen | undefined>(() => readSavedInputs(locationOf(capsuleId)).chosen);
  const fields = useMemo(() => editableInputs(base, form), [base, form]);
  const stored = useMemo(() => storedEntries(base, fields), [base, fields]);
  const entries = useMemo(() => ({ ...stored, ...edits }), [stored, edits]);
  useEffect(() => {
    if (isSent) return;
    const saved = { entries: realEdits(base, fields, edits), ...(chosen && { chosen }) };
    const declarations = fields.map(({ declared }) => declared);
    if (Object.keys(saved.entries).length === 0 && !chosen) deleteSavedInputs(locationOf(capsuleId));
    else writeSavedInputs(locationOf(capsuleId), saved, declarations);
  }, [capsuleId, base, fields, edits, chosen, isSent]);
  const setEntry = useCallback(
    (name: string, change: Entry) =>
      setEdits((now) => {
        const field = fields.find(({ declared }) => declared.name === name);
        return { ...now, [name]: editOf(field, now[name] ?? stored[name] ?? {}, change) };
      }),
    [fields, stored],
  );
  return {
    base,
    fields,
    entries,
    patch: patchOf(base, { fields, entries }),
    chosen,
    setChosen,
    setEntry,
    isOutdated: isOther && !isSent,
    /** Deletes what was saved. The form stays as it is until the page of the plan is loaded. */
    noteSent(): void {
      setSent(true);
      discardSavedChange(capsuleId);
    },
    /** Continues from another configuration; returns the edited names whose value changed there. */
    continueFrom(next: CapsuleConfiguration): string[] {
      const remaining = realEdits(base, fields, edits);
      setEdits(remaining);
      setStart(next);
      return changedNames(base, next).filter((name) => remaining[name] !== undefined);
    },
  };
}
