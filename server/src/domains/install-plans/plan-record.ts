import { isoTime } from '#server/kernel/clock';
import type { InstallDiagnostic } from '#shared/install-plans/contract';
import { apiPrefix } from '#shared/vendor';

/** Reason for a missing plan: one of the codes, with a message and bounded facts. */
export type Diagnostic<C extends string> = Omit<InstallDiagnostic, 'code'> & { code: C };

export type PlanStage = NonNullable<InstallDiagnostic['planCreationStage']>;

/** Columns of all step-by-step plans: the caller, the request, the progress and the created records. Times in ms. */
export type PlanRow<F, P, C extends string> = {
  id: string;
  workspaceId: string;
  createdBy: string;
  requestDigest: string;
  facts: F;
  phase: P;
  generation: number;
  diagnostic: Diagnostic<C> | null;
  createdAt: number;
  updatedAt: number;
  completedAt: number | null;
};

/** The key of a request, as it is stored: installations and updates of one caller share the key space of a Workspace. */
export type IdempotencyKey = { workspaceId: string; createdBy: string; keyDigest: string };

/** True when a plan has ended, with success or failure. */
export const isEnded = ({ phase }: { phase: unknown }): boolean => phase === 'reviewable' || phase === 'failed';

/** Public fields of all step-by-step plans. */
export const publicPart = <P, C extends string>(row: PlanRow<object, P, C>) => ({
  id: row.id,
  workspaceId: row.workspaceId,
  createdBy: row.createdBy,
  requestDigest: row.requestDigest,
  phase: row.phase,
  generation: row.generation,
  ...(row.diagnostic && { diagnostic: row.diagnostic }),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
  ...(row.completedAt !== null && { completedAt: isoTime(row.completedAt) }),
});

/** Activity of a step: the phase it led to, and why a record ended without a plan. */
export const advancedMetadata = ({
  phase,
  diagnostic,
}: Pick<PlanRow<object, unknown, string>, 'phase' | 'diagnostic'>) => ({
  phase,
  ...(diagnostic && { diagnosticCode: diagnostic.code }),
});

type Named = { id: string; phase: unknown; facts: { planRunId?: string | undefined } };

/** Returns the next step and the links to the record (in `folder`, such as `install-plans`) and its plan. */
export function nextStepOf(folder: string, row: Named) {
  const self = `${apiPrefix}/${folder}/${row.id}`;
  const { planRunId } = row.facts;
  const nextAction = row.phase === 'reviewable' ? 'review_run' : isEnded(row) ? 'none' : 'reconcile';
  return {
    nextAction,
    links: {
      self,
      ...(!isEnded(row) && { reconcile: `${self}/reconcile` }),
      ...(planRunId !== undefined && { run: `${apiPrefix}/runs/${planRunId}` }),
    },
  } as const;
}
