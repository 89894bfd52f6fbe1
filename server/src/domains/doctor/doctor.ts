import { archivesCheck, providersCheck } from './check-archives.ts';
import { backupsCheck } from './check-backups.ts';
import { copiesCheck } from './check-copies.ts';
import { clockCheck, diskCheck, folderCheck, serverCheck } from './check-folder.ts';
import { formResourcesCheck, formsCheck } from './check-forms.ts';
import { keyCheck, ledgerCheck, migrationsCheck, pauseCheck, trailCheck } from './check-ledger.ts';
import { machineCheck } from './check-machine.ts';
import { leftoversCheck, plansCheck, strayFoldersCheck, stuckRunsCheck } from './check-runs.ts';
import { backupScheduleCheck } from './check-schedule.ts';
import { configsCheck, pointersCheck, projectionsCheck, statesCheck } from './check-states.ts';
import type { BaseExamination, Examination } from './examination.ts';
import { type Check, type Finding, type Need, problem } from './finding.ts';

/** All checks, in the order of their report. Add a check as another entry. */
const checks: readonly Check[] = [
  folderCheck,
  serverCheck,
  ledgerCheck,
  migrationsCheck,
  keyCheck,
  pauseCheck,
  trailCheck,
  statesCheck,
  projectionsCheck,
  pointersCheck,
  configsCheck,
  stuckRunsCheck,
  plansCheck,
  archivesCheck,
  copiesCheck,
  formsCheck,
  formResourcesCheck,
  backupsCheck,
  backupScheduleCheck,
  strayFoldersCheck,
  leftoversCheck,
  providersCheck,
  diskCheck,
  clockCheck,
  machineCheck,
];

export type CheckReport = { name: string; outcome: 'ok' | 'note' | 'problem' | 'skipped'; findings: Finding[] };

/**
 * Runs every check whose requirements are met, except the named ones. A check that throws is reported as a problem, and
 * the others still run.
 */
export async function examine(
  examination: BaseExamination & Partial<Examination>,
  { skipped = new Set() }: { skipped?: ReadonlySet<string> } = {},
): Promise<CheckReport[]> {
  const reports: CheckReport[] = [];
  for (const check of checks.filter(({ name }) => !skipped.has(name))) {
    if (!check.needs.every((need) => isMet(need, examination))) {
      reports.push({ name: check.name, outcome: 'skipped', findings: [] });
      continue;
    }
    const findings = await runCheck(check, examination as Examination);
    reports.push({ name: check.name, outcome: outcomeOf(findings), findings });
  }
  return reports;
}

function isMet(need: Need, { ledger, gc, vault }: Partial<Examination>): boolean {
  if (need === 'ledger') return ledger !== undefined;
  if (need === 'tables') return gc !== undefined;
  return vault !== undefined && vault.sealedBy === undefined;
}

async function runCheck({ examine: find }: Check, examination: Examination): Promise<Finding[]> {
  try {
    return await find(examination);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    const message = `This could not be checked: ${why}.`;
    return [problem({ message, remedy: 'Make sure that this account may read the data folder, and try again.' })];
  }
}

function outcomeOf(findings: readonly Finding[]): 'ok' | 'note' | 'problem' {
  if (findings.some(({ level }) => level === 'problem')) return 'problem';
  return findings.length > 0 ? 'note' : 'ok';
}
