import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import type { Run } from '#shared/runs/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { queryClient } from '../../../api/queries.ts';
import { runQuery } from '../../../api/records.ts';
import { ChooseConnections, isCredentialRefusal, useStopped } from '../../../components/bindings/stopped.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { ChangeCounts } from '../../../ui/change-counts.tsx';
import { Note } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { DestroyDialog } from './destroy-dialog.tsx';
import { endangered } from './endangered.ts';

/**
 * The decision on a reviewed plan: one button, bound to the digest of what was read. When only the approval went through,
 * the plan is approved in the ledger, and what remains is "Apply".
 */
export function ReviewBar({ run }: { run: Run }) {
  const t = useText();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [isAsking, setAsking] = useState(false);
  const isApproval = run.awaits === 'approve';
  const apply = useIntent(async (keyOf) => {
    const params = { runId: run.id };
    if (isApproval) {
      const body = reason.trim() === '' ? {} : { reason: reason.trim() };
      const approved = await api.approveRun({ params, body }, keyOf('approve'));
      queryClient.setQueryData(runQuery(run.id).queryKey, approved.body.run);
    }
    const body = run.planDigest === undefined ? {} : { planDigest: run.planDigest };
    const { run: made } = (await api.applyRun({ params, body }, keyOf('apply'))).body;
    setAsking(false);
    await navigate({ to: '/runs/$id', params: { id: made.id } });
  });
  const danger = endangered(run);
  const isStopped = useStopped(run.capsuleId);
  const close = () => {
    apply.forget();
    setAsking(false);
  };
  return (
    <section
      aria-label={t('run.review.label')}
      className="sticky bottom-1 z-10 mt-4 max-h-[60dvh] overflow-y-auto rounded-lg border border-line-strong/40 bg-card px-3 py-2 shadow-lg sm:bottom-3 sm:px-4 sm:py-3"
    >
      {apply.error !== undefined && !isAsking && (
        <div className="mb-3 flex flex-col items-start gap-2">
          <ErrorNote error={apply.error} />
          {!isStopped && isCredentialRefusal(apply.error) && run.capsuleId !== undefined && (
            <ChooseConnections capsuleId={run.capsuleId} />
          )}
        </div>
      )}
      {isStopped && run.capsuleId !== undefined && <Stopped capsuleId={run.capsuleId} />}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ReviewText run={run} isStopped={isStopped} />
        <div className="flex w-full min-w-0 items-center gap-2 sm:w-auto">
          {isApproval && <ReasonField reason={reason} onChange={setReason} disabled={apply.isBusy} />}
          <Button
            look="primary"
            className="ml-auto shrink-0"
            busy={apply.isBusy}
            disabled={isStopped}
            onClick={() => (danger.count > 0 ? setAsking(true) : void apply.run())}
          >
            {!apply.isBusy && <Check size={16} aria-hidden="true" />}
            {t(isApproval ? 'run.review.approveApply' : 'run.review.apply')}
          </Button>
        </div>
      </div>
      <DestroyDialog
        danger={danger}
        isApproval={isApproval}
        isOpen={isAsking}
        busy={apply.isBusy}
        error={apply.error}
        onClose={close}
        onConfirm={() => void apply.run()}
      />
    </section>
  );
}

/** A Connection of the plan has ended since, so that the server would refuse. */
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

function ReviewText({ run, isStopped }: { run: Run; isStopped: boolean }) {
  const t = useText();
  const { summary, policyStatus, approval, planExpiresAt } = run;
  return (
    <div className="min-w-0 text-sm">
      <p className="font-medium">
        {!isStopped && t(run.awaits === 'approve' ? 'run.review.waits' : 'run.review.ready')}{' '}
        {summary && <ChangeCounts counts={summary} />}
      </p>
      <p className="text-muted">
        {policyStatus === 'warn' && `${t('run.review.policyWarns')} `}
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

type ReasonProps = { reason: string; onChange: (reason: string) => void; disabled: boolean };

function ReasonField({ reason, onChange, disabled }: ReasonProps) {
  const t = useText();
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {t('run.review.reason')}
      </label>
      <input
        id={id}
        value={reason}
        maxLength={200}
        disabled={disabled}
        placeholder={t('run.review.reason')}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-9 min-w-0 flex-1 rounded-md sm:w-56 sm:flex-none border border-line-strong/60 bg-card px-3 py-1.5 placeholder:text-muted"
      />
    </>
  );
}
