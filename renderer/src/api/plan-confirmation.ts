import type { CompatibilityReport } from '#shared/sources/report';
import { bringsNew, isWorthWarning } from './module-code.ts';
import { queryClient } from './queries.ts';
import { reportQuery } from './records.ts';
import { capabilitiesQuery } from './runner.ts';

/** Reports whether a plan would run something on this machine that was not confirmed with the known report. */
export async function needsConfirmation(
  knownReportId: string | undefined,
  report: CompatibilityReport,
): Promise<boolean> {
  if (knownReportId !== undefined) {
    const known = await queryClient.fetchQuery(reportQuery(knownReportId));
    return bringsNew(report, known);
  }
  const { runner } = await queryClient.fetchQuery(capabilitiesQuery);
  return runner.available && isWorthWarning(report, runner);
}
