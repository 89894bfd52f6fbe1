import semver from 'semver';
import type { ReleaseRecord } from './release-record.ts';

/** Product that runs now. */
export type Installed = {
  version: string;
  /** Number of migrations of its ledger. */
  ledger: number;
};

/**
 * `newer` may be installed. `current` is the same version or an older one. `behind_ledger` has a higher version, but
 * could not open the ledger.
 */
export type ReleaseVerdict = 'newer' | 'current' | 'behind_ledger';

export function judgeRelease(
  { version, ledger }: Pick<ReleaseRecord, 'version' | 'ledger'>,
  installed: Installed,
): ReleaseVerdict {
  if (!semver.gt(version, installed.version)) return 'current';
  return ledger < installed.ledger ? 'behind_ledger' : 'newer';
}
