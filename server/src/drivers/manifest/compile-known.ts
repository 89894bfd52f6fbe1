import type { VariableDeclaration } from '#shared/sources/module-scan';
import type { ManifestRequirement } from './versions.ts';

/** Variables of the module by name. */
export type Declared = ReadonlyMap<string, VariableDeclaration>;

/** Value that a variable receives from the host. */
export type Target = {
  kind: Exclude<ManifestRequirement['kind'], 'interface.consume'>;
  slot: string;
  /** True when the host derives the value without the installer. */
  isDerived: boolean;
  /** True when the installer has to enter it, because a value derived from it has no default. */
  isNeeded: boolean;
};
