import { useQuery } from '@tanstack/react-query';
import { isPlanType, type Run } from '#shared/runs/contract';
import { configOfCapsuleQuery } from '../../api/records.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { BuildSteps } from '../../components/source-build.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';

/**
 * Build of a plan that can still be approved or applied. An older plan may belong to another configuration than the
 * Capsule has now; its log holds its commands.
 */
export function RunBuild({ run, feed }: { run: Run; feed: RunFeed }) {
  const hasBuilt =
    feed.phases.some(({ phase }) => phase === 'build') || run.phaseTimings?.some(({ phase }) => phase === 'build');
  const isOpen = isPlanType(run.type) && (run.awaits !== undefined || !hasEnded(run.status));
  if (!hasBuilt || !isOpen || run.capsuleId === undefined) return null;
  return <Built capsuleId={run.capsuleId} poolId={run.runnerPoolId} />;
}

/** Its space is reserved from the start, so that the plan below does not move during the review. */
function Built({ capsuleId, poolId }: { capsuleId: string; poolId: string }) {
  const t = useText();
  const { data: config } = useQuery(configOfCapsuleQuery(capsuleId));
  const build = config?.sourceBuild;
  if (config && !build) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <details open>
        <summary className="cursor-pointer px-4 py-2.5">
          <span className="font-medium">{t('run.build.title')}</span>{' '}
          {build && <span className="text-muted">{t('run.build.count', { count: build.commands.length })}</span>}
        </summary>
        <div className="flex flex-col gap-3 border-t border-line px-4 py-3.5">
          <p className="max-w-prose text-muted">{t('run.build.lead')}</p>
          {build ? <BuildSteps build={build} poolId={poolId} /> : <Skeleton lines={6} />}
        </div>
      </details>
    </Card>
  );
}
