import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { Chosen } from '../provider-bindings/tuples.ts';
import type { Entries, Entry } from './entry.ts';
import { holdsCredential } from './read-draft.ts';

/** Typed inputs of one form. */
export type SavedInputs = {
  entries: Entries;
  name?: string;
  environment?: string;
  /** Ids of the Connections chosen for the providers of the module. */
  chosen?: Chosen;
};

/** A form: of a module of a snapshot, or of a Capsule. */
type FormLocation = { ownerId: string; part: string };

const keyOf = ({ ownerId, part }: FormLocation): string => `install.inputs:${ownerId}:${part}`;

export function readSavedInputs(location: FormLocation): SavedInputs {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(location)) ?? '') as SavedInputs;
  } catch {
    return { entries: {} };
  }
}

/** Stores the typed inputs until the tab is closed. Of a secret only a marker is stored, never its value. */
export function writeSavedInputs(
  location: FormLocation,
  saved: SavedInputs,
  declarations: readonly VariableDeclaration[],
): void {
  const sensitive = new Set(declarations.filter((one) => one.sensitive).map(({ name }) => name));
  const entries = Object.fromEntries(
    Object.entries(saved.entries).map(([name, entry]): [string, Entry] => [
      name,
      entry.isSecret || sensitive.has(name) || holdsCredential((entry.draft ?? null) as Json)
        ? withoutDraft(entry)
        : entry,
    ]),
  );
  try {
    sessionStorage.setItem(keyOf(location), JSON.stringify({ ...saved, entries }));
  } catch {
    // If storage is full or forbidden, only the values after a reload are lost.
  }
}

const withoutDraft = ({ draft: _draft, wasLeft: _left, ...entry }: Entry): Entry => entry;

export const deleteSavedInputs = (location: FormLocation): void => sessionStorage.removeItem(keyOf(location));
