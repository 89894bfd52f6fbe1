import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { bindReturn } from '../../api/returns.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageError } from '../../components/page-error.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AddressParts } from './address-preview.tsx';
import { CancelInstall } from './cancel-install.tsx';
import { PlanFailure } from './plan-failure.tsx';
import { ProgressSteps } from './progress-steps.tsx';
import { reconcileInstall } from './reconcile-loop.ts';
import { RunLive } from './run-live.tsx';
import { ToolOffer } from './tool-offer.tsx';

/** Advances an installation to its reviewable plan while the page is open. A reload continues it. */
export function InstallProgressPage({ id }: { id: string }) {
  const t = useText();
  const navigate = useNavigate();
  const { error: stopped, again, stop } = useReconcile(id);
  const answer = useQuery({
    queryKey: keys.installPlan(id),
    queryFn: async () => (await api.getInstallPlan({ params: { installPlanId: id } })).body,
  });
  const plan = answer.data?.installPlan;
  const reviewedRunId = plan?.phase === 'reviewable' ? plan.planRunId : undefined;
  useEffect(() => {
    if (reviewedRunId !== undefined) void navigate({ to: '/runs/$id', params: { id: reviewedRunId }, replace: true });
  }, [reviewedRunId, navigate]);

  const capsuleId = plan?.capsuleId;
  useEffect(() => {
    if (capsuleId !== undefined) bindReturn(id, capsuleId);
  }, [id, capsuleId]);

  // The sync continues when this installation is cancelled, because others may wait for it.
  const isCancelled = plan?.diagnostic?.code === 'install_plan_cancelled';
  const runId = plan?.planRunId ?? (isCancelled ? undefined : plan?.sourceSyncRunId);
  const title = plan ? t('progress.title', { name: visibleText(plan.capsule.name) }) : t('progress.titlePending');
  if (answer.isError) return <PageError error={answer.error} onAgain={() => void answer.refetch()} />;
  if (!plan)
    return (
      <Card>
        <PageTitle title={title} />
        <Skeleton lines={6} />
      </Card>
    );
  const hasFailed = plan.phase === 'failed';
  const isOpen = !hasFailed && plan.phase !== 'reviewable';
  return (
    <>
      <PageTitle
        title={title}
        lead={
          <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
            <AddressParts address={plan.source} />
          </dl>
        }
        actions={
          isOpen && (
            <Allowed to="cancelInstallPlan">
              <CancelInstall plan={plan} onCancel={stop} onRefused={again} />
            </Allowed>
          )
        }
      />
      <div className="flex flex-col gap-4">
        {stopped !== undefined && !hasFailed && <Stopped error={stopped} onAgain={again} />}
        {hasFailed && <PlanFailure plan={plan} />}
        <Card className="p-4">
          <ProgressSteps plan={plan} isStopped={stopped !== undefined} />
        </Card>
        {runId !== undefined && (
          <RunLive key={runId} runId={runId} title={t(plan.planRunId ? 'progress.planRun' : 'progress.syncRun')} />
        )}
      </div>
    </>
  );
}

/** Refusal of the server to continue now, with an offer of the tool when that is missing, and a retry button. */
const Stopped = ({ error, onAgain }: { error: unknown; onAgain: () => void }) => (
  <>
    <ToolOffer />
    <ErrorNote error={error} onAgain={onAgain} />
  </>
);

/** Advances the installation while the page is open. */
function useReconcile(id: string): { error: unknown; again: () => void; stop: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts over
  useEffect(() => {
    const stop = new AbortController();
    running.current = stop;
    setError(undefined);
    reconcileInstall(id, {
      signal: stop.signal,
      onAnswer: (answer) => queryClient.setQueryData(keys.installPlan(id), answer),
    }).catch((refusal: unknown) => stop.signal.aborted || setError(refusal));
    return () => stop.abort();
  }, [id, attempt]);
  return { error, again: () => setAttempt((count) => count + 1), stop: () => running.current?.abort() };
}
