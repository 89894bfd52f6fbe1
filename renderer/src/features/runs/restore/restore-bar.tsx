import { Check } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '#shared/runs/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord, queryClient } from '../../../api/queries.ts';
import { runQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { useSession } from '../../../api/session.tsx';
import { DecisionPanel } from '../../../components/decision-panel.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Since } from '../../../ui/time.tsx';
import { ReasonField } from '../review/reason-field.tsx';
import { requiresSecondPerson } from '../review/review-reasons.ts';

/** Returns why the signed-in person cannot approve a restore; undefined when they may. */
function useBarrier(run: Run) {
  const may = useMay();
  const { data } = useSession();
  if (!may('approveRun')) return 'restore.review.role' as const;
  const isAuthor = run.createdBy === data?.session.subject;
  const isSecondRequired = requiresSecondPerson([{ of: 'Workspace', policy: data?.workspace.policy ?? {} }]);
  return isAuthor && isSecondRequired ? ('restore.review.second' as const) : undefined;
}

/** Decision on a restore that waits: an approval queues it. */
export function RestoreBar({ run }: { run: Run }) {
  const t = useText();
  const [reason, setReason] = useState('');
  const barrier = useBarrier(run);
  const approve = useIntent(async (keyOf) => {
    const body = reason.trim() === '' ? {} : { reason: reason.trim() };
    const answer = await api.approveRun({ params: { runId: run.id }, body }, keyOf('approve'));
    queryClient.setQueryData(runQuery(run.id).queryKey, answer.body.run);
    invalidateRecord({ kind: 'run', id: run.id });
  });
  return (
    <DecisionPanel label={t('restore.review.label')} className="mt-4">
      {approve.error !== undefined && (
        <div className="mb-3">
          <ErrorNote error={approve.error} />
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 text-sm">
          <p className="font-medium">{t('restore.review.waits')}</p>
          {run.planExpiresAt !== undefined && (
            <p className="text-muted">
              {t('run.review.expires')} <Since at={run.planExpiresAt} />
            </p>
          )}
        </div>
        {barrier ? (
          <p className="max-w-sm text-sm text-warn">{t(barrier)}</p>
        ) : (
          <div className="flex w-full min-w-0 items-center gap-2 sm:w-auto">
            <ReasonField reason={reason} onChange={setReason} disabled={approve.isBusy} />
            <Button
              variant="primary"
              className="ml-auto shrink-0"
              busy={approve.isBusy}
              onClick={() => void approve.run()}
            >
              {!approve.isBusy && <Check size={16} aria-hidden="true" />}
              {t('restore.review.approve')}
            </Button>
          </div>
        )}
      </div>
    </DecisionPanel>
  );
}
