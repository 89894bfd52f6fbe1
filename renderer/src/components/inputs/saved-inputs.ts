import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { Chosen } from '../provider-bindings/tuples.ts';
import type { Entries, Entry } from './entry.ts';
import { holdsCredential } from './read-draft.ts';

/** Typed inputs for one module of one snapshot. */
export type SavedInputs = {
  entries: Entries;
  name?: string;
  environment?: string;
  /** Ids of the Connections chosen for the providers of the module. */
  chosen?: Chosen;
};

const keyOf = (snapshotId: string, modulePath: string): string => `install.inputs:${snapshotId}:${modulePath}`;

export function readSavedInputs(snapshotId: string, modulePath: string): SavedInputs {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(snapshotId, modulePath)) ?? '') as SavedInputs;
  } catch {
    return { entries: {} };
  }
}

/** Stores the typed inputs until the tab is closed. Of a secret only a marker is stored, never its value. */
export function writeSavedInputs(
  location: { snapshotId: string; modulePath: string },
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
    sessionStorage.setItem(keyOf(location.snapshotId, location.modulePath), JSON.stringify({ ...saved, entries }));
  } catch {
    // If storage is full or forbidden, only the values after a reload are lost.
  }
}

const withoutDraft = ({ draft: _draft, wasLeft: _left, ...entry }: Entry): Entry => entry;
