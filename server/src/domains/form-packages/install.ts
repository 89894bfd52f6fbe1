import type { JsonSchemas } from '#server/drivers/json-schema/index';
import { AppError, invalidArgument } from '#server/kernel/errors';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';
import type { Json } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';
import { type Catalog, createCatalog, formKeyOf, type PackageFile } from './catalog.ts';
import { checkPackage } from './check-package.ts';
import { hasName, holdsPackage, readFormFolder, writePackage } from './form-folder.ts';
import { reasonOf } from './problems.ts';

/** A package that was checked and may be written. */
export type Candidate = { file: string; json: Json; identity: FormIdentity; package: FormPackage };

/** Checks a package that a person installs. Throws 400 `form_package_invalid` with its problems. */
export async function checkCandidate(
  { file, json }: { file: string; json: Json },
  schemas: Pick<JsonSchemas, 'check'>,
): Promise<Candidate> {
  const { identity, problems, package: checked } = await checkPackage(json, schemas);
  if (identity && checked) return { file, json, identity, package: checked };
  const field = problems[0]?.pointer ?? '';
  throw invalidArgument('form_package_invalid', `The package is not installed. ${reasonOf(problems)}`, {
    field,
    problems,
  });
}

/**
 * Puts a candidate into the folder. Returns the file that holds it: an installed one, or one of this name that was put
 * there since the folder was read, or a new file. Throws 409 `conflict` for a name that another file has, and for a full
 * folder.
 */
export function writeCandidate(
  { file, json, identity }: Candidate,
  folder: string,
  { byKey, files }: Catalog,
): { file: string; isNew: boolean } {
  const holds = (name: string): boolean => holdsPackage(folder, name, identity.packageDigest);
  const existing = byKey.get(formKeyOf(identity));
  if (existing?.installed && holds(existing.file)) return { file: existing.file, isNew: false };
  if (holds(file)) return { file, isNew: true };
  if (hasName(folder, file))
    throw new AppError(
      'conflict',
      'A file with this name and other content is in forms/. Choose another name, or remove that file.',
    );
  if (files.length >= formPackageLimits.files)
    throw new AppError(
      'conflict',
      `forms/ holds ${formPackageLimits.files} files already. Remove those that are not used.`,
    );
  writePackage(folder, file, json);
  return { file, isNew: true };
}

/** Reads and checks every file of the folder. */
export async function checkFolder(folder: string, schemas: Pick<JsonSchemas, 'check'>): Promise<PackageFile[]> {
  const checked: PackageFile[] = [];
  for (const entry of readFormFolder(folder)) {
    if ('reason' in entry) {
      checked.push(entry);
      continue;
    }
    const { identity, problems, package: valid } = await checkPackage(entry.json, schemas);
    checked.push({ file: entry.file, identity, ...(valid ? { package: valid } : { reason: reasonOf(problems) }) });
  }
  return checked;
}

/** Reads the packages of a folder, without those that only the ledger knows. */
export const readCatalog = async (folder: string, schemas: Pick<JsonSchemas, 'check'>): Promise<Catalog> =>
  createCatalog(await checkFolder(folder, schemas), []);
