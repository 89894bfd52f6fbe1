import type { SnapshotRow } from '#server/domains/sources/index';
import type { CompatibilityReport } from '#shared/sources/report';

/** Why a plan that was made by itself waits for a person. */
export type Caution =
  | 'lock_changed'
  | 'unknown_before'
  | 'provisioner'
  | 'external_data'
  | 'new_provider'
  | 'build_changed';

type Side = {
  report: Pick<CompatibilityReport, 'provisioners' | 'dataSources' | 'providerPackages'>;
  snapshot: Pick<SnapshotRow, 'repositoryManifest'>;
};

/**
 * What the new commit would run that the one before it did not (shapes 9.3, lanes): undefined where it adds nothing of the
 * kind. `builds` says that commands of the manifest run before a plan.
 */
export function cautionOf(before: Side | undefined, after: Side, builds: boolean): Caution | undefined {
  if (!before) return 'unknown_before';
  const [old, now] = [before.report, after.report];
  if (addsTo(old.provisioners, now.provisioners)) return 'provisioner';
  const external = (report: Side['report']) => report.dataSources.filter(({ type }) => type === 'external');
  if (addsTo(external(old), external(now))) return 'external_data';
  const known = new Set(old.providerPackages.map(({ source }) => source));
  if (now.providerPackages.some(({ source }) => !known.has(source))) return 'new_provider';
  return builds && manifestOf(before) !== manifestOf(after) ? 'build_changed' : undefined;
}

type Used = { type: string; count?: number | undefined };

/** More of a type than before, or one that was not there. */
function addsTo(before: readonly Used[], now: readonly Used[]): boolean {
  const counts = new Map(before.map(({ type, count = 1 }) => [type, count]));
  return now.some(({ type, count = 1 }) => count > (counts.get(type) ?? 0));
}

const manifestOf = ({ snapshot: { repositoryManifest } }: Side): string => JSON.stringify(repositoryManifest);
