import type { FormPackageRecord } from '#shared/form-packages/contract';
import type { Catalog, ListedPackage, PackageFile } from './catalog.ts';
import { formKeyOf } from './catalog.ts';

/** Returns what the operator reads about a file. */
export function recordOf({ file, identity, package: installed, reason }: PackageFile): FormPackageRecord {
  return {
    ...(file !== '' && { file }),
    ...identity,
    installed: installed !== undefined,
    ...(reason !== undefined && { reason }),
    ...(installed && {
      ...(installed.displayName !== undefined && { displayName: installed.displayName }),
      operations: installed.operations,
      executable: installed.executable,
      deprecated: installed.deprecated,
      activation: installed.activation,
    }),
  };
}

type Row = { position: string; record: FormPackageRecord };

/** Returns a record of each file, then one of each reference that only the ledger knows. */
export function recordsOf({ files, listed }: Catalog): Row[] {
  const claimed = new Set(files.flatMap(({ identity }) => (identity ? [formKeyOf(identity)] : [])));
  const withoutFile = listed.flatMap((one): Row[] => (claimed.has(formKeyOf(one.identity)) ? [] : rowOfKnown(one)));
  return [...files.map((entry) => ({ position: `0${entry.file}`, record: recordOf(entry) })), ...withoutFile];
}

const rowOfKnown = (listed: ListedPackage): Row[] =>
  listed.installed
    ? []
    : [
        {
          position: `1${formKeyOf(listed.identity)}`,
          record: { ...listed.identity, installed: false, reason: listed.reason },
        },
      ];
