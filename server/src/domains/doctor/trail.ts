import { type TrailReport, verifyTrail } from '#server/domains/activity/index';
import type { Examination } from './examination.ts';

/** What the audit trail says of itself, and the Runs of the ledger that it does not tell of. */
export type TrailExamination = TrailReport & { untoldRuns: string[] };

/**
 * Walks the whole trail in one transaction, so that rows and head are of one moment though a server may write meanwhile.
 * Rows and head of an older copy are whole in themselves: that they are older shows in Runs they do not name.
 */
export function examineTrail({
  ledger,
  vault,
  store,
}: Pick<Examination, 'ledger' | 'vault' | 'store'>): TrailExamination {
  const key = vault.installationKey('audit');
  const verify = () => ({ ...verifyTrail(ledger, key), untoldRuns: store.listUntoldRuns() });
  return ledger.sqlite.transaction(verify)();
}

export const unrecordedRunMessage = 'The trail does not tell of this Run, so rows of it are gone.';
