import type { RunnerCapability } from '#shared/deploys/tool';
import type { CompatibilityReport } from '#shared/sources/report';

type Report = Pick<CompatibilityReport, 'findings' | 'providerPackages'>;

/** Findings about code that a plan or an apply runs because the module says so. */
export const runsCode: ReadonlySet<string> = new Set(['provisioner_present', 'external_program_present']);

export const codeOf = ({ findings }: Report) => findings.filter(({ code }) => runsCode.has(code));

/** Whether a plan or an apply of the module runs more than the tool itself. */
export const bringsPrograms = (report: Report): boolean =>
  codeOf(report).length > 0 || report.providerPackages.length > 0;

/** Whether a plan of this module deserves a warning before the first one. Without a sandbox every module does. */
export function isWorthWarning(report: Report, runner: RunnerCapability): boolean {
  if (runner.sandbox === 'none' || runner.toolName === 'terraform' || codeOf(report).length > 0) return true;
  return runner.network === 'shared' && bringsPrograms(report);
}

const programsOf = (report: Report): string[] => [
  ...codeOf(report).map(({ code, path, message }) => JSON.stringify([code, path, message])),
  ...report.providerPackages.map(({ source }) => source),
];

/** Whether a module runs something that it did not run as it was known before. */
export function bringsNew(report: Report, known: Report): boolean {
  const before = new Set(programsOf(known));
  return programsOf(report).some((program) => !before.has(program));
}
