import type { CopyRevision } from '#shared/copies/contract';
import { useMay } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { type StepState, Steps } from '../../ui/steps.tsx';
import { Card } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CancelRevision } from './cancel-revision.tsx';

/** Steps of a revision that is being prepared or made. Its number of packages grows with each event of the stream. */
export function RevisionProgress({ revision }: { revision: CopyRevision }) {
  const t = useText();
  const may = useMay();
  const { status, progress, createdAt, approval } = revision;
  if (status !== 'preparing' && status !== 'making') return null;
  const isPreparing = status === 'preparing';
  const rest: StepState = isPreparing ? 'waiting' : 'done';
  return (
    <Card className="flex flex-col gap-3 p-4">
      <Steps
        label={t('copy.steps')}
        steps={[
          {
            id: 'fetch',
            title: t('copy.step.fetch'),
            state: isPreparing ? 'running' : 'done',
            aside: isPreparing && <Elapsed from={Date.parse(createdAt)} />,
            children: isPreparing && (
              <div aria-live="off" className="text-sm text-muted">
                <p>{t('copy.fetched', { count: progress?.packageCount ?? 0 })}</p>
                <p className="truncate">
                  {progress?.address === undefined
                    ? '\u00a0'
                    : t('copy.fetching', { address: visibleText(progress.address) })}
                </p>
              </div>
            ),
          },
          { id: 'review', title: t('copy.step.review'), state: rest },
          {
            id: 'make',
            title: t('copy.step.make'),
            state: isPreparing ? 'waiting' : 'running',
            aside: approval && <Elapsed from={Date.parse(approval.at)} />,
          },
        ]}
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{isPreparing && t('copy.canLeave')}</p>
        {isPreparing && may('cancelCopyRevision') && <CancelRevision revision={revision} />}
      </div>
    </Card>
  );
}
