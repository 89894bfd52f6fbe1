import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { ManifestRequirement } from './versions.ts';

/** The variables of the module by name. */
export type Declared = ReadonlyMap<string, VariableDeclaration>;

/** What a variable receives from the host. */
export type Target = {
  kind: Exclude<ManifestRequirement['kind'], 'interface.consume'>;
  slot: string;
  /** The host knows the value without the installer. */
  isDerived: boolean;
  /** The installer has to give it, because something that follows from it has no default. */
  isNeeded: boolean;
};
