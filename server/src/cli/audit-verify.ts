import {
  examineTrail,
  type OpenExamination,
  type TrailExamination,
  unrecordedRunMessage,
} from '../domains/doctor/index.ts';
import { nameDataFolder, noLedger } from '../kernel/ledger-file.ts';
import { SettingError } from '../kernel/settings.ts';
import { openDataFolder } from './data-folder.ts';
import type { Flags } from './flags.ts';

/** Verifies that the audit trail of a data folder is unaltered; returns 1 when it is not. */
export async function runAuditVerify(flags: Flags): Promise<number> {
  const opened = await openDataFolder(flags);
  try {
    const result = examineTrail(requireTrail(opened));
    process.stdout.write(`${(flags.json ? [JSON.stringify(result)] : linesOf(result)).join('\n')}\n`);
    return result.broken || result.untoldRuns.length > 0 ? 1 : 0;
  } finally {
    opened.close();
  }
}

function requireTrail({ examination }: OpenExamination) {
  const { ledgerFault, ledger, vault, gc, store } = examination;
  if (ledgerFault !== undefined || !ledger || !store)
    throw new SettingError(`${ledgerFault ?? noLedger} ${nameDataFolder}`);
  if (!gc || !vault) {
    throw new SettingError(
      'The ledger was written by another version than this one. Use that version, or start this one on it once.',
    );
  }
  if (vault.sealedBy) throw new SettingError(`The trail cannot be proven without its key. ${vault.sealedBy.message}`);
  return { ledger, vault, store };
}

function linesOf({ rows, head, broken, untoldRuns }: TrailExamination): string[] {
  const checked = `${rows} rows checked`;
  const newest = head ? [`newest of them: row ${head.seq} of ${new Date(head.at).toISOString()}, ${head.hash}`] : [];
  const torn = broken ? [`BROKEN at row ${broken.seq}: ${broken.sentence}`] : [];
  const unrecorded = untoldRuns.map((id) => `${id}: ${unrecordedRunMessage}`);
  const verdict = torn.length + unrecorded.length === 0 ? ['The trail is whole.'] : [];
  return [checked, ...newest, ...torn, ...unrecorded, ...verdict];
}
