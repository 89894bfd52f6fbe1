import type { FormIdentity } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';

/** A file of `forms/` after its check. An installed one has a package and no reason. */
export type PackageFile = {
  file: string;
  identity?: FormIdentity | undefined;
  package?: FormPackage;
  reason?: string;
};

/** An exact reference that a file or the ledger knows. */
export type ListedPackage = { identity: FormIdentity } & (
  | { installed: true; package: FormPackage; file: string }
  | { installed: false; reason: string }
);

export type Catalog = {
  /** Every file, in the order of names. */
  files: readonly PackageFile[];
  /** Every known reference, in the order of `formKeyOf`. */
  listed: readonly ListedPackage[];
  byKey: ReadonlyMap<string, ListedPackage>;
};

/** Returns one text for an exact reference; lists are in its order. No member contains a line break. */
export const formKeyOf = ({ formRef, packageDigest }: FormIdentity): string =>
  [formRef.kind, formRef.apiVersion, formRef.definitionVersion, formRef.schemaDigest, packageDigest].join('\n');

const byName = (left: PackageFile, right: PackageFile): number => (left.file < right.file ? -1 : 1);

const goneReason = 'Its file is no longer in forms/, or was changed. Put the file back.';

/**
 * Decides which files are installed. Of two files with one reference the first is, because equal digests mean equal
 * content, and the other says so. References of the ledger without a valid file are known and not installed.
 */
export function createCatalog(checked: readonly PackageFile[], known: readonly FormIdentity[]): Catalog {
  const byKey = new Map<string, ListedPackage>();
  const files = checked.toSorted(byName).map((entry): PackageFile => {
    if (!entry.package || !entry.identity) return entry;
    const key = formKeyOf(entry.identity);
    const first = byKey.get(key);
    if (first?.installed) {
      const { package: _, ...rest } = entry;
      return { ...rest, reason: `It repeats the package of ${first.file}. Remove one of the two files.` };
    }
    byKey.set(key, { identity: entry.identity, installed: true, package: entry.package, file: entry.file });
    return entry;
  });
  const add = (identity: FormIdentity, reason: string): void => {
    const key = formKeyOf(identity);
    if (!byKey.has(key)) byKey.set(key, { identity, installed: false, reason });
  };
  for (const { identity, reason } of files) if (identity && reason !== undefined) add(identity, reason);
  for (const identity of known) add(identity, goneReason);
  const keys = [...byKey.keys()].sort();
  return { files, byKey, listed: keys.flatMap((key) => byKey.get(key) ?? []) };
}

/** Reports whether a form may be used in at least one Workspace. */
export const isActivated = ({ activation }: FormPackage): boolean => activation.spaces.length > 0;

/** Reports whether a form may be used in a Workspace. */
export const isActivatedFor = ({ activation: { spaces } }: FormPackage, workspaceId: string): boolean =>
  spaces.includes('*') || spaces.includes(workspaceId);
