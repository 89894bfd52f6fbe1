import { type CheckReport, examine, type Finding } from '../domains/doctor/index.ts';
import { openDataFolder } from './data-folder.ts';
import type { Flags } from './flags.ts';

/** Checks a data folder and prints each problem with its remedy; returns 1 when there is one. Changes nothing. */
export async function runDoctor(flags: Flags): Promise<number> {
  const { examination, close } = await openDataFolder(flags);
  try {
    const { folders, isServerRunning, runtime } = examination;
    const reports = await examine(examination);
    const server = {
      isRunning: isServerRunning,
      ...(isServerRunning && runtime && { url: runtime.url, pid: runtime.pid }),
    };
    const report: DoctorReport = { dataDir: folders.dataDir, server, checks: reports };
    process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : `${linesOf(report).join('\n')}\n`);
    return reports.some(({ outcome }) => outcome === 'problem') ? 1 : 0;
  } finally {
    close();
  }
}

/** Document that `--json` prints. */
export type DoctorReport = {
  dataDir: string;
  server: { isRunning: boolean; url?: string; pid?: number };
  checks: readonly CheckReport[];
};

function linesOf({ dataDir, server, checks }: DoctorReport): string[] {
  const serving = server.isRunning ? `served at ${server.url ?? 'an unknown address'}` : 'no server runs on it';
  return [
    `${dataDir}: ${serving}`,
    '',
    ...checks.flatMap(({ name, findings }) => findings.flatMap((finding) => linesOfFinding(name, finding))),
    summaryOf(checks),
  ];
}

function linesOfFinding(check: string, { level, subject, message, remedy }: Finding): string[] {
  const about = subject === undefined ? '' : `  ${subject}`;
  return [`${level.padEnd(8)} ${check}${about}`, `         ${message}`, `         ${remedy}`, ''];
}

function summaryOf(checks: readonly CheckReport[]): string {
  const count = (outcome: CheckReport['outcome']) => checks.filter((report) => report.outcome === outcome).length;
  const skipped = checks.filter(({ outcome }) => outcome === 'skipped').map(({ name }) => name);
  const left = skipped.length > 0 ? `; not checked: ${skipped.join(', ')}` : '';
  const findings = checks.flatMap((report) => report.findings);
  const problems = findings.filter(({ level }) => level === 'problem').length;
  const summary = `${problems} problem${problems === 1 ? '' : 's'}, ${findings.length - problems} notes`;
  return `${checks.length} checks, ${count('ok')} in order: ${summary}${left}`;
}
