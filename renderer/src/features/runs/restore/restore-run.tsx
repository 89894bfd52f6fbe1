import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LeftOutCapsule, RestoreReview } from '#shared/restores/contract';
import type { Run } from '#shared/runs/contract';
import { restoreReviewQuery } from '../../../api/backups.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card, Note, Skeleton } from '../../../ui/surface.tsx';
import { dateTimeText } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { RestoreEffects } from './effects.tsx';
import { RestoreOutcome } from './outcome.tsx';
import { RestoredCapsuleRow } from './restored-capsule.tsx';

/** Review of a restore: what returns, what differs, and the result. */
export function RestoreRun({ run }: { run: Run }) {
  const pages = useInfiniteQuery(restoreReviewQuery(run.id));
  const loaded = pages.data?.pages ?? [];
  const [first] = loaded;
  if (pages.isPending)
    return (
      <div className="min-h-80">
        <Skeleton lines={6} />
      </div>
    );
  if (!first) return <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />;
  const capsules = loaded.flatMap(({ restore }) => restore.capsules);
  return (
    <div className="mb-4 flex min-w-0 flex-col gap-4">
      <RestoreOutcome run={run} capsules={capsules} review={first.restore} />
      {run.status === 'waiting_approval' && <RestoreEffects origin={first.restore.origin.kind} />}
      <Card className="min-w-0">
        <Heading review={first.restore} />
        <ul className="divide-y divide-line">
          {capsules.map((capsule) => (
            <RestoredCapsuleRow
              key={capsule.capsuleId}
              capsule={capsule}
              run={run}
              isLate={first.restore.origin.kind === 'late'}
            />
          ))}
        </ul>
        <More pages={pages} />
      </Card>
      <LeftOut capsules={first.restore.leftOut} />
    </div>
  );
}

function Heading({ review: { origin, capsuleCount } }: { review: RestoreReview }) {
  const t = useText();
  return (
    <div className="border-b border-line px-4 py-2.5">
      <h2 className="font-semibold">{t('restore.capsules', { count: capsuleCount })}</h2>
      <p className="text-sm text-muted">
        {origin.kind === 'backup' ? (
          <>
            {t('restore.from.backup', { at: dateTimeText(origin.backupCreatedAt) })}{' '}
            <Link to="/workspace/backups" className="text-accent underline">
              {t('backups.all')}
            </Link>
          </>
        ) : (
          t(origin.kind === 'late' ? 'restore.from.late' : 'restore.from.upload')
        )}
      </p>
    </div>
  );
}

/** Capsules of the backup that keep their state. */
function LeftOut({ capsules }: { capsules: readonly LeftOutCapsule[] }) {
  const t = useText();
  if (capsules.length === 0) return null;
  return (
    <Note tone="warn" title={t('restore.leftOut', { count: capsules.length })}>
      <ul className="list-disc pl-5">
        {capsules.map(({ capsuleId, name, reason }) => (
          <li key={capsuleId} className="break-words">
            {t(`restore.leftOut.${reason}`, { name: visibleText(name) })}
          </li>
        ))}
      </ul>
    </Note>
  );
}
