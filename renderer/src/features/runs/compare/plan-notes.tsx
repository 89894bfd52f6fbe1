import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run } from '#shared/runs/contract';
import { comparablePlansQuery, inputChangesQuery } from '../../../api/plan-comparison.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { whenKnown } from '../../../api/when-known.ts';
import { InputChangesCard } from './input-changes.tsx';
import { ReplacedPlan } from './replaced-plan.tsx';

/** Returns the Capsule of a plan that can still be approved or applied. */
const openCapsuleOf = ({ type, awaits, capsuleId }: Run): string | undefined =>
  type === 'plan' && awaits !== undefined ? capsuleId : undefined;

/**
 * Returns what is shown above the changes of a plan, and whether some of it is still loading. The changes wait for it,
 * because it would move them.
 */
export function usePlanNotes(run: Run): { notes: ReactNode; isLoading: boolean } {
  const workspaceId = useWorkspaceId();
  const plans = useQuery(whenKnown(openCapsuleOf(run), (capsuleId) => comparablePlansQuery(workspaceId, capsuleId)));
  const inputs = useQuery({ ...inputChangesQuery(run.id), enabled: run.type === 'plan' });
  return {
    notes: (
      <>
        <ReplacedPlan run={run} plans={plans.data ?? []} />
        <InputChangesCard query={inputs} />
      </>
    ),
    isLoading: plans.isLoading || inputs.isLoading,
  };
}
