import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { runsQuery } from '../../../api/records.ts';
import { BackUpButton } from '../../../components/backups/back-up-button.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';

/** The newest backup of this Capsule alone, and the button for another one. A destroyed Capsule has no state to back up. */
export function CapsuleBackups({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const filter = { capsuleId: capsule.id, type: 'backup', status: 'succeeded', limit: '1' } as const;
  const { data } = useInfiniteQuery(runsQuery(capsule.workspaceId, filter));
  if (capsule.status === 'destroyed' || capsule.currentStateVersionId === undefined) return null;
  const [newest] = data?.pages[0]?.runs ?? [];
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <p className="min-w-0 flex-1 basis-64">
        {newest ? (
          <>
            {t('backups.capsule.last')}{' '}
            <Link to="/runs/$id" params={{ id: newest.id }} className="text-accent underline">
              <Since at={newest.finishedAt ?? newest.createdAt} />
            </Link>{' '}
            ·
          </>
        ) : (
          t('backups.capsule.none')
        )}{' '}
        <Link to="/workspace/backups" className="text-accent underline">
          {t('backups.all')}
        </Link>
      </p>
      <BackUpButton capsuleId={capsule.id} />
    </Card>
  );
}
