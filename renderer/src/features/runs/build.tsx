import { useQuery } from '@tanstack/react-query';
import { isPlanType, type Run } from '#shared/runs/contract';
import { buildOfCapsuleQuery } from '../../api/records.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useText } from '../../i18n/text.ts';
import { BuildSteps } from '../../ui/source-build.tsx';
import { Card } from '../../ui/surface.tsx';

/**
 * What was built for a plan that somebody may still decide about. A plan of the past may have been made of another
 * configuration than the Capsule has now; its log holds its commands.
 */
export function RunBuild({ run, feed }: { run: Run; feed: RunFeed }) {
  const hasBuilt =
    feed.phases.some(({ phase }) => phase === 'build') || run.phaseTimings?.some(({ phase }) => phase === 'build');
  const isOpen = isPlanType(run.type) && (run.awaits !== undefined || !hasEnded(run.status));
  if (!hasBuilt || !isOpen || run.capsuleId === undefined) return null;
  return <Built capsuleId={run.capsuleId} isReviewed={run.awaits !== undefined} />;
}

function Built({ capsuleId, isReviewed }: { capsuleId: string; isReviewed: boolean }) {
  const t = useText();
  const { data: build } = useQuery(buildOfCapsuleQuery(capsuleId));
  if (!build) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <details open={isReviewed}>
        <summary className="cursor-pointer px-4 py-2.5">
          <span className="font-medium">{t('run.build.title')}</span>{' '}
          <span className="text-muted">{t('run.build.count', { count: build.commands.length })}</span>
        </summary>
        <div className="flex flex-col gap-3 border-t border-line px-4 py-3.5">
          <p className="max-w-prose text-muted">{t('run.build.lead')}</p>
          <BuildSteps build={build} />
        </div>
      </details>
    </Card>
  );
}
