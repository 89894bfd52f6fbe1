import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { CapsuleHold } from '#shared/capsules/contract';
import { localPool, type Run } from '#shared/runs/contract';
import { capsuleQuery, configOfCapsuleQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { useRunner } from '../../../api/runner.ts';
import { useSession } from '../../../api/session.tsx';
import { whenKnown } from '../../../api/when-known.ts';
import { DecisionPanel } from '../../../components/decision-panel.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { HoldFacts } from '../../../components/hold-facts.tsx';
import { NoSandboxLine } from '../../../components/how-it-runs.tsx';
import { ChooseConnections, isCredentialRefusal, useStopped } from '../../../components/provider-bindings/stopped.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChangeCounts } from '../../../ui/change-counts.tsx';
import { Note } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { DestroyDialog } from './destroy-dialog.tsx';
import { endangered } from './endangered.ts';
import { ReasonField } from './reason-field.tsx';
import { RequestApproval } from './request-approval.tsx';
import { type HeldPolicy, requiresSecondPerson, reviewReasons } from './review-reasons.ts';
import { useApplyPlan } from './use-apply-plan.ts';
import { WritableNote } from './writable-note.tsx';

/** Policies of a Capsule, and whether they and the role allow the signed-in user to decide. */
function useReview(run: Run) {
  const may = useMay();
  const { data } = useSession();
  const config = useQuery(whenKnown(run.capsuleId, configOfCapsuleQuery)).data;
  const policies: HeldPolicy[] = [
    { of: 'Workspace', policy: data?.workspace.policy ?? {} },
    { of: 'InstallConfig', policy: config?.policy ?? {} },
  ];
  const isAuthor = run.createdBy === data?.session.subject;
  const needsSecond = run.awaits === 'approve' && isAuthor && requiresSecondPerson(policies);
  const barrier = !may('applyRun') ? 'run.review.role' : needsSecond ? 'run.review.second' : undefined;
  const hold = useQuery(whenKnown(run.capsuleId, capsuleQuery)).data?.hold;
  return { policies, barrier, hold } as const;
}

/**
 * Decision on a reviewed plan: one button, bound to the digest of what was read. When only the approval succeeded, the
 * plan is approved in the ledger, and "Apply" remains.
 */
export function ReviewBar({ run }: { run: Run }) {
  const t = useText();
  const [reason, setReason] = useState('');
  const [isAsking, setAsking] = useState(false);
  const isApproval = run.awaits === 'approve';
  const apply = useApplyPlan(run, { reason, onApplied: () => setAsking(false) });
  const destructiveChanges = endangered(run);
  const runner = useRunner();
  const isStopped = useStopped(run.capsuleId);
  const { policies, barrier, hold } = useReview(run);
  const close = () => {
    apply.reset();
    setAsking(false);
  };
  return (
    <DecisionPanel label={t('run.review.label')} className="mt-4">
      {apply.error !== undefined && !isAsking && (
        <div className="mb-3 flex flex-col items-start gap-2">
          <ErrorNote error={apply.error} />
          {!isStopped && isCredentialRefusal(apply.error) && run.capsuleId !== undefined && (
            <ChooseConnections capsuleId={run.capsuleId} />
          )}
        </div>
      )}
      {isStopped && run.capsuleId !== undefined && <Stopped capsuleId={run.capsuleId} />}
      <WritableNote run={run} />
      <NoSandboxLine runner={run.runnerPoolId === localPool ? runner : undefined} text="run.review.noSandbox" />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ReviewText run={run} isStopped={isStopped || hold != null} policies={policies} />
        {hold ? (
          <Held hold={hold} />
        ) : barrier ? (
          <div className="flex min-w-0 flex-col gap-2">
            <p className="max-w-sm text-sm text-warn">{t(barrier)}</p>
            <RequestApproval run={run} />
          </div>
        ) : (
          <div className="flex w-full min-w-0 items-center gap-2 sm:w-auto">
            {isApproval && <ReasonField reason={reason} onChange={setReason} disabled={apply.isBusy} />}
            <Button
              variant="primary"
              className="ml-auto shrink-0"
              busy={apply.isBusy}
              disabled={isStopped}
              onClick={() => (destructiveChanges.count > 0 ? setAsking(true) : void apply.run())}
            >
              {!apply.isBusy && <Check size={16} aria-hidden="true" />}
              {t(isApproval ? 'run.review.approveApply' : 'run.review.apply')}
            </Button>
          </div>
        )}
      </div>
      <DestroyDialog
        destructiveChanges={destructiveChanges}
        isApproval={isApproval}
        isOpen={isAsking}
        busy={apply.isBusy}
        error={apply.error}
        onClose={close}
        onConfirm={() => void apply.run()}
      />
    </DecisionPanel>
  );
}

/** Stands where the button would be: why nothing can be applied, and who can change that. */
function Held({ hold }: { hold: CapsuleHold }) {
  const t = useText();
  return (
    <div className="max-w-xl min-w-0">
      <p className="font-medium text-warn">{t('hold.review')}</p>
      <HoldFacts hold={hold} />
    </div>
  );
}

/** True when a Connection of the plan has expired since, so that the server would refuse. */
function Stopped({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  return (
    <div className="mb-3">
      <Note tone="warn" title={t('binding.stopped.plan')}>
        <p className="mb-2">{t('binding.stopped.planText')}</p>
        <ChooseConnections capsuleId={capsuleId} />
      </Note>
    </div>
  );
}

type TextProps = { run: Run; isStopped: boolean; policies: readonly HeldPolicy[] };

function ReviewText({ run, isStopped, policies }: TextProps) {
  const t = useText();
  const { summary, approval, planExpiresAt } = run;
  return (
    <div className="min-w-0 text-sm">
      <p className="font-medium">
        {!isStopped && t(run.awaits === 'approve' ? 'run.review.waits' : 'run.review.ready')}{' '}
        {summary && <ChangeCounts counts={summary} />}
      </p>
      <p className="text-muted">
        {reviewReasons(run, policies).map(({ text, rule, of = '' }) => (
          <span key={`${text} ${rule} ${of}`} className="block">
            {t(text, { rule: rule ? t(rule) : '', of })}
          </span>
        ))}
        {approval && `${t('run.review.approved')} `}
        {planExpiresAt !== undefined && (
          <>
            {t('run.review.expires')} <Since at={planExpiresAt} />
          </>
        )}
      </p>
    </div>
  );
}
