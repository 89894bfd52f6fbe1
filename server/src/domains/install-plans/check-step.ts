import type { InspectionService } from '#server/domains/sources/index';
import type { Finding } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { diagnose, type PlanState } from './plan-steps.ts';
import type { Progress, Step } from './reconcile.ts';

/** Puts the file name before the message, which does not repeat it. */
export const findingText = ({ path, message }: Pick<Finding, 'path' | 'message'>): string =>
  path === undefined || path === '.' ? message : `${path}: ${message}`;

type Unready<C> = { code: C; message: string };

/** Ends a record whose module cannot be planned, by its worst finding; undefined for a module that can be planned. */
export function diagnoseUnready<C extends string>(report: CompatibilityReport, { code, message }: Unready<C>) {
  if (report.level === 'ready') return undefined;
  const worst = report.findings.find(({ compatibilityImpact }) => compatibilityImpact === report.level);
  return worst ? diagnose(code, findingText(worst), { reason: worst.code }) : diagnose(code, message);
}

type CheckFacts = { compatibilityReportId: string; compatibilityCheckRunId: string };
type CheckStepPorts<S, F, C extends string> = {
  inspection: Pick<InspectionService, 'check'>;
  /** Configuration whose policy also applies. */
  installConfigIdOf: (state: S) => string | undefined;
  /** Diagnostic of a module that is not ready; the message is used when no finding explains it. */
  unready: Unready<C>;
  /** Facts of a record that ended because its module is not ready, such as the report with every finding. */
  unreadyFactsOf?: (facts: CheckFacts) => Partial<F>;
  /** Takes the report of a module that is ready. */
  accept: (checked: { state: S; report: CompatibilityReport; facts: CheckFacts }) => Progress<F, C>;
};

/** Step that checks the chosen module of the snapshot: `check_compatibility`. */
export const createCheckStep = <S extends PlanState, F, C extends string>({
  inspection,
  installConfigIdOf,
  unready,
  unreadyFactsOf,
  accept,
}: CheckStepPorts<S, F, C>): Step<S, F, C> => ({
  name: 'check_compatibility',
  stage: 'preparation',
  isDone: ({ compatibilityReportId }) => compatibilityReportId !== undefined,
  take: async (state) => {
    const { row, sourceId = '', sourceSnapshotId, installModulePath: modulePath } = state;
    const installConfigId = installConfigIdOf(state);
    const input = { sourceId, sourceSnapshotId, modulePath, installConfigId, actorId: row.createdBy };
    const commit = await inspection.check(input);
    return () => {
      const { report, run } = commit();
      const facts = { compatibilityReportId: report.id, compatibilityCheckRunId: run.id };
      const problem = diagnoseUnready(report, unready);
      if (problem) return { ...problem, ...(unreadyFactsOf && { facts: unreadyFactsOf(facts) }) };
      return accept({ state, report, facts });
    };
  },
});
