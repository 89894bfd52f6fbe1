import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunRow } from '#shared/runs/contract';
import { backupScheduleQuery } from '../../api/backup-schedules.ts';
import { backupsQuery, useBackupRuns } from '../../api/backups.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useIsLocalOwner } from '../../api/vault.ts';
import { BackUpButton } from '../../components/backups/back-up-button.tsx';
import { ListCard } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { EmptyState, Note, PageTitle } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { BackupContents } from './contents.tsx';
import { Schedule } from './schedule.tsx';
import { BackupTable } from './table.tsx';

/** Backups of the Workspace and of its Capsules, newest first. */
export function BackupsPage() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const pages = useInfiniteQuery(backupsQuery(workspaceId));
  const backups = pages.data?.pages.flatMap((page) => page.backups) ?? [];
  const { runs, open } = useBackupRuns(workspaceId, backups);
  // The rows grow when it is known who may restore, so they wait for that.
  const isKnown = useIsLocalOwner() !== undefined;
  // What stands below the list is shown at once, so that nothing of it moves.
  const isScheduleKnown = !useQuery(backupScheduleQuery(workspaceId)).isPending;
  return (
    <>
      <PageTitle title={t('backups.title')} lead={t('backups.lead')} actions={<BackUpButton isMain />} />
      <div className="flex flex-col gap-4">
        {open.map((run) => (
          <OpenBackup key={run.id} run={run} />
        ))}
        <ListCard
          pages={isKnown ? pages : { ...pages, isPending: true, isSuccess: false }}
          count={isKnown ? backups.length : 0}
          empty={<EmptyState title={t('backups.empty.title')} text={t('backups.empty.text')} />}
        >
          <BackupTable backups={backups} runs={runs} />
        </ListCard>
        {!pages.isPending && isKnown && isScheduleKnown && (
          <>
            <Schedule />
            <BackupContents />
          </>
        )}
      </div>
    </>
  );
}

/** A backup that is queued or being made. It continues when this page is closed. */
function OpenBackup({ run }: { run: RunRow }) {
  const t = useText();
  return (
    <Note>
      <p>
        <span className="font-semibold">{t(run.status === 'queued' ? 'backups.queued' : 'backups.running')}</span>{' '}
        <span aria-live="off">
          <Elapsed from={Date.parse(run.createdAt)} />
        </span>{' '}
        <Link to="/runs/$id" params={{ id: run.id }} className="text-accent underline">
          {t('backups.run')}
        </Link>
      </p>
    </Note>
  );
}
