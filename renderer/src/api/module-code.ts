import type { CompatibilityReport } from '#shared/sources/report';
import type { PlanRunner } from './plan-runner.ts';

type Report = Pick<CompatibilityReport, 'findings' | 'providerPackages'>;

/** Findings about code of the module that a plan or an apply runs. */
export const runsCode: ReadonlySet<string> = new Set(['provisioner_present', 'external_program_present']);

export const codeOf = ({ findings }: Report) => findings.filter(({ code }) => runsCode.has(code));

/** Reports whether a plan or an apply of the module runs more than the tool itself. */
export const bringsPrograms = (report: Report): boolean =>
  codeOf(report).length > 0 || report.providerPackages.length > 0;

/** Reports whether the first plan of this module needs a warning. Without a sandbox every module does. */
export function isWorthWarning(report: Report, runner: PlanRunner): boolean {
  if (runner.sandbox === 'none' || runner.toolName === 'terraform' || codeOf(report).length > 0) return true;
  return runner.network === 'shared' && bringsPrograms(report);
}

const programsOf = (report: Report): string[] => [
  ...codeOf(report).map(({ code, path, message }) => JSON.stringify([code, path, message])),
  ...report.providerPackages.map(({ source }) => source),
];

/** Reports whether a module runs something that the known report did not list. */
export function bringsNew(report: Report, known: Report): boolean {
  const before = new Set(programsOf(known));
  return programsOf(report).some((program) => !before.has(program));
}
