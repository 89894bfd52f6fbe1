import { isoTime } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { InstallDiagnostic } from '#shared/coordinators/contract';
import { apiPrefix } from '#shared/vendor';

/** Why there is no plan: one of the codes, with a sentence and bounded facts. */
export type Diagnostic<C extends string> = Omit<InstallDiagnostic, 'code'> & { code: C };

export type PlanStage = NonNullable<InstallDiagnostic['planCreationStage']>;

/** What the rows of all step-by-step plans hold: who asked for what, how far it is, and what was made. Times in ms. */
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

/** Whether a plan has come to its end, good or bad. */
export const isEnded = ({ phase }: { phase: unknown }): boolean => phase === 'reviewable' || phase === 'failed';

/** A record as it is when it is asked for. */
export const fresh = { generation: 0, facts: {}, diagnostic: null, completedAt: null } as const;

/** What the public forms of all step-by-step plans say. */
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

/** The trace of a step: the phase it led to, and why a record ended without a plan. */
export const advancedMetadata = ({
  phase,
  diagnostic,
}: Pick<PlanRow<object, unknown, string>, 'phase' | 'diagnostic'>) => ({
  phase,
  ...(diagnostic && { diagnosticCode: diagnostic.code }),
});

type Named = { id: string; phase: unknown; facts: { planRunId?: string | undefined } };

/** What comes next, and where the record (in `folder`, such as `install-plans`) and its plan are. */
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

/**
 * The record that the same request has made under its key; 409 `idempotency_conflict` when the key was used for another.
 * Installations and updates share one space of keys (shapes 1.4): `others` is what stands under it in the other one.
 */
export function findRepeat<R extends { requestDigest: string }>(
  known: R | undefined,
  others: object | undefined,
  requestDigest: string,
): R | undefined {
  if (known?.requestDigest === requestDigest) return known;
  if (known === undefined && others === undefined) return undefined;
  throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request. Use a fresh key.');
}
