import { useState } from 'react';
import type { CapsuleHold } from '#shared/capsules/contract';
import type { RunRow } from '#shared/runs/contract';
import { useMay } from '../../api/role.ts';
import { useSession } from '../../api/session.tsx';

export type Selection = {
  /** Plans that the signed-in user may decide on now. */
  isOffered: (run: RunRow) => boolean;
  isSelected: (run: RunRow) => boolean;
  select: (runs: readonly RunRow[], isSelected: boolean) => void;
  /** True when a plan is the user's own and a policy requires a second person. */
  hasOwn: boolean;
  /** Number of waiting plans whose Capsules are held. */
  heldCount: number;
};

/** Plans of a group that are selected for a decision: all that may be decided on, until some are deselected. */
export function useSelection(
  members: readonly RunRow[],
  holds: ReadonlyMap<string | undefined, CapsuleHold | null>,
): Selection {
  const may = useMay();
  const { data } = useSession();
  const [deselected, setDeselected] = useState<ReadonlySet<string>>(new Set());
  const needsSecond = data?.workspace.policy?.approval?.requireSecondPerson === true;
  const isOwn = (run: RunRow) => needsSecond && run.awaits === 'approve' && run.createdBy === data?.session.subject;
  const isHeld = ({ capsuleId }: RunRow) => (holds.get(capsuleId) ?? null) !== null;
  const isOffered = (run: RunRow) => may('applyRunGroup') && run.awaits !== undefined && !isOwn(run) && !isHeld(run);
  return {
    isOffered,
    isSelected: (run) => isOffered(run) && !deselected.has(run.id),
    select(runs, isSelected) {
      const next = new Set(deselected);
      for (const { id } of runs) isSelected ? next.delete(id) : next.add(id);
      setDeselected(next);
    },
    hasOwn: members.some(isOwn),
    heldCount: members.filter((run) => run.awaits !== undefined && isHeld(run)).length,
  };
}
