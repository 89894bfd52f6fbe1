import type { JsonObject } from '#shared/kernel/json';

/** A Resource of the form host as Interfaces read it. */
export type ReadFormResource = {
  workspaceId: string;
  generation: number;
  /** Canonical Output; null while the native object is missing. */
  outputs: JsonObject | null;
};

/** Finds a Resource that is not deleted. */
export type FormResourceReader = { find: (id: string) => ReadFormResource | undefined };
