import { useQuery } from '@tanstack/react-query';
import type { Installation } from '#shared/installation/contract';
import { ApiError } from '../../api/client.ts';
import { installationQuery, pauseQuery } from '../../api/installation.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, EmptyState, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { EndPause } from './end-pause.tsx';
import { ReviewedConnections, ReviewedMembers } from './review.tsx';

/** Page of a restored installation: its origin, what is off, what ended, and what to review before its pause ends. */
export function InstallationPage() {
  const t = useText();
  const query = useQuery({ ...installationQuery, retry: false });
  const isRefused = query.error instanceof ApiError && query.error.code === 'forbidden';
  return (
    <>
      <PageTitle title={t('restored.title')} lead={t('restored.lead')} />
      {query.isPending && <Skeleton lines={6} />}
      {isRefused && <ForOthers />}
      {query.isLoadingError && !isRefused && <ErrorNote error={query.error} onAgain={() => void query.refetch()} />}
      {query.data && <ForOwner installation={query.data} />}
    </>
  );
}

/** For everyone who cannot end the pause: what it means, and who can. */
function ForOthers() {
  const t = useText();
  const { data, isPending } = useQuery(pauseQuery);
  if (isPending) return <Skeleton lines={3} />;
  if (!data) return <NotPaused text={t('restored.notPaused.others')} />;
  return (
    <Card className="flex flex-col gap-2 p-4">
      <p>{t('restored.what', { at: dateTimeText(data.backupCreatedAt) })}</p>
      <p>{t('restored.byHand')}</p>
      <p className="font-medium">{t('restored.who')}</p>
    </Card>
  );
}

const NotPaused = ({ text }: { text: string }) => {
  const t = useText();
  return (
    <Card>
      <EmptyState title={t('restored.notPaused')} text={text} />
    </Card>
  );
};

function ForOwner({ installation }: { installation: Installation }) {
  const t = useText();
  const { restored, paused, resumedAt } = installation;
  if (!restored) return <NotPaused text={t('restored.never')} />;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      {!paused && resumedAt !== undefined && (
        <Note title={t('restored.ended', { at: dateTimeText(resumedAt) })}>{t('restored.ended.text')}</Note>
      )}
      <Card className="flex flex-col gap-2 p-4">
        <p>{t('restored.what', { at: dateTimeText(restored.backupCreatedAt) })}</p>
        <p>{t('restored.byHand')}</p>
      </Card>
      {paused && <Off off={installation.off} />}
      <Ended ended={installation.ended} />
      <ReviewedMembers count={installation.review.members} />
      <ReviewedConnections count={installation.review.connections} />
      {paused && <EndPause />}
    </div>
  );
}

function Off({ off }: Pick<Installation, 'off'>) {
  const t = useText();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('restored.off')}</h2>
      <ul className="mt-2 list-disc pl-5">
        {off.map((work) => (
          <li key={work}>{t(`restored.off.${work}`)}</li>
        ))}
      </ul>
    </Card>
  );
}

function Ended({ ended }: Pick<Installation, 'ended'>) {
  const t = useText();
  const counts = Object.entries(ended ?? {}).filter(([, count]) => count > 0) as [
    keyof NonNullable<Installation['ended']>,
    number,
  ][];
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('restored.endedRecords')}</h2>
      {counts.length === 0 && <p className="mt-2 text-muted">{t('restored.endedRecords.none')}</p>}
      {counts.length > 0 && (
        <ul className="mt-2 list-disc pl-5">
          {counts.map(([name, count]) => (
            <li key={name}>{t(`restored.ended.${name}`, { count })}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}
