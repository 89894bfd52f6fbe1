import { type TrailReport, verifyTrail } from '#server/domains/activity/index';
import type { Examination } from './examination.ts';

/** Result of verifying the audit trail, with the Runs of the ledger that it does not name. */
export type TrailExamination = TrailReport & { untoldRuns: string[] };

/**
 * Verifies the whole trail in one transaction, so that rows and head are consistent although a server may write concurrently. Rows and
 * head of an older copy are valid on their own; the missing Runs show that they are older.
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

export const unrecordedRunMessage = 'The trail does not name this Run, so rows of the trail are missing.';
