import type { CompatibilityReport } from '#shared/sources/report';
import { bringsNew, isWorthWarning } from './module-code.ts';
import { readPlanRunner } from './plan-runner.ts';
import { queryClient } from './queries.ts';
import { reportQuery } from './records.ts';

/** Reports whether a plan of a Capsule would run something that was not confirmed with the known report. */
export async function needsConfirmation(
  knownReportId: string | undefined,
  report: CompatibilityReport,
  capsuleId: string,
): Promise<boolean> {
  if (knownReportId !== undefined) {
    const known = await queryClient.fetchQuery(reportQuery(knownReportId));
    return bringsNew(report, known);
  }
  const runner = await readPlanRunner(capsuleId);
  return runner !== undefined && isWorthWarning(report, runner);
}
