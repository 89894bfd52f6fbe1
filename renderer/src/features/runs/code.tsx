import { useQuery } from '@tanstack/react-query';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { stateVersionQuery } from '../../api/groups.ts';
import { capsuleQuery, runQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { CodeDifference } from '../../components/code/code-difference.tsx';

type Code = {
  sourceId?: string | undefined;
  sourceSnapshotId?: string | undefined;
  resolvedCommit?: string | undefined;
};

/**
 * Returns the snapshot that was applied before a plan or apply, when it is of another commit of the same Source: that of
 * the Capsule for an open plan, else that of the state that the plan started from.
 */
export function useSnapshotBefore(run: Run): string | undefined {
  const isOpen = isPlanType(run.type) && run.applyRunId === undefined;
  const capsule = useQuery(whenKnown(isOpen ? run.capsuleId : undefined, capsuleQuery)).data;
  const before = useRunBefore(run, !isOpen);
  const adopted = capsule?.adoptedSourceRevision && { sourceId: capsule.sourceId, ...capsule.adoptedSourceRevision };
  const code: Code | undefined = isOpen ? adopted : before;
  if (code?.sourceId !== run.sourceId || code?.resolvedCommit === run.resolvedCommit) return undefined;
  return code?.sourceSnapshotId;
}

/** Returns the Run that created the state that a plan, or the plan of an apply, started from. */
function useRunBefore(run: Run, isEnabled: boolean): Run | undefined {
  const planRunId = isApplyType(run.type) ? run.planRunId : undefined;
  const planOfApply = useQuery(whenKnown(planRunId, runQuery)).data;
  const plan = isApplyType(run.type) ? planOfApply : run;
  const stateId = isEnabled ? plan?.applyExpected?.currentStateVersionId : undefined;
  const state = useQuery(whenKnown(stateId ?? undefined, stateVersionQuery)).data?.stateVersion;
  return useQuery(whenKnown(state?.createdByRunId, runQuery)).data;
}

/** The difference of the code that a plan or apply brings. */
export function RunCode({ run: { sourceId, sourceSnapshotId }, from }: { run: Run; from: string | undefined }) {
  if (sourceId === undefined || sourceSnapshotId === undefined || from === undefined) return null;
  return <CodeDifference sourceId={sourceId} from={from} to={sourceSnapshotId} />;
}
