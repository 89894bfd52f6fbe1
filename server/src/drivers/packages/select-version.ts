import {
  type Constraint,
  compareVersions,
  isExact,
  meets,
  parseConstraint,
  parseVersion,
  type Version,
  versionTextOf,
} from '#server/drivers/scan/index';
import { PackageError } from './package-error.ts';

/** Parses the `version` of a module call; no text allows every version. Throws `constraint_invalid`. */
export function readConstraint(text: string | undefined): Constraint {
  const constraint = text === undefined ? [] : parseConstraint(text);
  if (constraint) return constraint;
  throw new PackageError(
    'constraint_invalid',
    'The version constraint of the module call is not valid. Write one such as "~> 1.2".',
  );
}

/**
 * Selects the newest version that meets a constraint, as the tools do: a pre-release only when it is the one exact
 * version of the constraint, and a text that is not a version never. Returns its canonical text. Throws
 * `version_not_found`.
 */
export function selectVersion(published: readonly string[], constraint: Constraint): string {
  const allowed = published
    .map(parseVersion)
    .filter((version) => version !== undefined)
    .filter((version) => version.prerelease === '' || (isExact(constraint) && meets(version, constraint)));
  const newest = newestOf(allowed);
  if (!newest) throw notFound('The module has no published version. Check its address.');
  const selected = newestOf(allowed.filter((version) => meets(version, constraint)));
  if (selected) return versionTextOf(selected);
  throw notFound(
    `No published version of the module meets the constraint. The newest one is ${versionTextOf(newest)}. Change the constraint.`,
  );
}

/** Returns the newest version; of equal ones the first. */
const newestOf = (versions: readonly Version[]): Version | undefined =>
  versions.reduce<Version | undefined>(
    (newest, version) => (newest === undefined || compareVersions(version, newest) > 0 ? version : newest),
    undefined,
  );

const notFound = (message: string): PackageError => new PackageError('version_not_found', message);
