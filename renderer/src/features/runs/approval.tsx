import { useQuery } from '@tanstack/react-query';
import { UserCheck, UserRound } from 'lucide-react';
import { isApplyType, type Run } from '#shared/runs/contract';
import { runQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Approval of a plan: by whom, when and why. An apply shows the approval of its plan. */
export function RunApproval({ run }: { run: Run }) {
  const t = useText();
  const who = useWho();
  const { planRunId } = run;
  const isApply = isApplyType(run.type) && planRunId !== undefined;
  const plan = useQuery(whenKnown(isApply ? planRunId : undefined, runQuery)).data;
  const approval = (isApply ? plan : run)?.approval;
  if (!approval) return null;
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1">
      <UserCheck size={14} aria-hidden="true" className="shrink-0" />
      <span>{t('run.approvedBy', { name: who(approval.by) })}</span>
      <Since at={approval.at} />
      {approval.reason !== undefined && <q className="min-w-0 break-words text-ink">{visibleText(approval.reason)}</q>}
    </p>
  );
}

/** Request of a colleague to review a plan that still waits. */
export function ApprovalRequest({ run: { approvalRequest, approval, awaits } }: { run: Run }) {
  const t = useText();
  const who = useWho();
  if (!approvalRequest || approval || awaits === undefined) return null;
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1">
      <UserRound size={14} aria-hidden="true" className="shrink-0" />
      <span>{t('run.requestedBy', { name: who(approvalRequest.by) })}</span>
      <Since at={approvalRequest.at} />
      {approvalRequest.note !== undefined && (
        <q className="min-w-0 break-words text-ink">{visibleText(approvalRequest.note)}</q>
      )}
    </p>
  );
}
