import type { RootEvidence, SnapshotRow } from '#server/domains/sources/index';
import { programTypes } from '#server/drivers/scan/index';
import type { PlanResourceRef } from '#shared/plans/summary';
import type { CompatibilityReport } from '#shared/sources/report';

/** Sentences that explain why an automatically created plan waits for a person. */
export const reviewReasons = {
  lock_changed: 'The update locks other provider packages than those that a person accepted last.',
  package_changed: 'The update changes a package that the installable copy holds.',
  unknown_before: 'What the present commit runs is not known, so the update cannot be compared with it.',
  provisioner: 'The apply of this update would run a provisioner.',
  external_data:
    'The update brings a data source that starts a program. It ran when this plan was made: check what it did.',
  program_changed:
    'The update changes a provisioner or a data source that starts a program. Such a data source ran when this plan was made.',
  files_changed:
    'The update changes files that a program of the module may use. A data source that starts one ran when this plan was made.',
  new_provider: 'The update needs another provider.',
  build_changed: 'The update changes how the module is built.',
} as const;
export type ReviewReason = keyof typeof reviewReasons;

export type Side = {
  report: Pick<CompatibilityReport, 'provisioners' | 'dataSources' | 'providerPackages'>;
  programs: RootEvidence['programs'];
  snapshot: Pick<SnapshotRow, 'repositoryManifest'>;
};

/**
 * Plan of the update: its changes, as far as the ledger lists them, and whether commands of the manifest ran before.
 */
export type PlannedUpdate = { changes: readonly PlanResourceRef[]; isListedWhole: boolean; builds: boolean };

/**
 * Returns the reason to review an update: a program that the previous commit did not run, or any provisioner; undefined
 * when the update may be applied automatically.
 */
export function reviewReasonOf(
  before: Side | undefined,
  after: Side,
  planned: PlannedUpdate,
): ReviewReason | undefined {
  if (!before) return 'unknown_before';
  const [old, now] = [before.report, after.report];
  if (addsTo(old.provisioners, now.provisioners) || runsProvisioner(after, planned)) return 'provisioner';
  if (addsTo(programSources(old), programSources(now))) return 'external_data';
  const changed = changedPrograms(before, after);
  if (changed) return changed;
  const known = new Set(old.providerPackages.map(({ source }) => source));
  if (now.providerPackages.some(({ source }) => !known.has(source))) return 'new_provider';
  return planned.builds && manifestOf(before) !== manifestOf(after) ? 'build_changed' : undefined;
}

type Used = { type: string; count?: number | undefined };

/** Reports whether a type is used more often than before, or is new. */
function addsTo(before: readonly Used[], now: readonly Used[]): boolean {
  const counts = new Map(before.map(({ type, count = 1 }) => [type, count]));
  return now.some(({ type, count = 1 }) => count > (counts.get(type) ?? 0));
}

const programSources = ({ dataSources }: Side['report']) => dataSources.filter(({ type }) => programTypes.has(type));

/**
 * Reports whether a change may run a provisioner, which runs when a resource is created or destroyed. Without a scan
 * result each such change may have one.
 */
function runsProvisioner({ report, programs }: Side, { changes, isListedWhole }: PlannedUpdate): boolean {
  if (report.provisioners.length === 0) return false;
  if (programs === undefined || !isListedWhole) return true;
  const provisioned = new Set(programs.provisioned);
  return changes.some(
    ({ address, actions }) =>
      (actions.includes('create') || actions.includes('delete')) &&
      (provisioned.has(blockOf(address)) || (provisioned.has('removed') && actions.includes('delete'))),
  );
}

const blockOf = (address: string): string =>
  address
    .replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]$/, '')
    .split('.')
    .slice(-2)
    .join('.');

function changedPrograms(before: Side, { report, programs }: Side): ReviewReason | undefined {
  if (report.provisioners.length === 0 && programSources(report).length === 0) return undefined;
  if (before.programs === undefined || programs === undefined) return 'unknown_before';
  if (before.programs.blocksDigest !== programs.blocksDigest) return 'program_changed';
  return before.programs.filesDigest === programs.filesDigest ? undefined : 'files_changed';
}

const manifestOf = ({ snapshot: { repositoryManifest } }: Side): string => JSON.stringify(repositoryManifest);
