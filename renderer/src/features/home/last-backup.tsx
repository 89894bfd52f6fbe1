import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { backupScheduleQuery } from '../../api/backup-schedules.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { BackUpButton } from '../../components/backups/back-up-button.tsx';
import { useText } from '../../i18n/text.ts';
import { Since } from '../../ui/time.tsx';

/** One line about the newest backup of the Workspace, at the end of the page. */
export function LastBackup() {
  const t = useText();
  const { data, isPending } = useQuery(backupScheduleQuery(useWorkspaceId()));
  const may = useMay();
  // The offer of a recovery kit is below it.
  if (isPending) return <div className="min-h-9" />;
  if (data === undefined) return null;
  const { lastBackupAt } = data;
  const isOffered = lastBackupAt === undefined && may('backUpWorkspace');
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 text-sm text-muted">
      <p>
        {lastBackupAt === undefined ? (
          t('home.backup.none')
        ) : (
          <>
            {t('home.backup.last')} <Since at={lastBackupAt} /> ·
          </>
        )}{' '}
        {!isOffered && (
          <Link to="/workspace/backups" className="text-accent underline">
            {t('home.backup.open')}
          </Link>
        )}
      </p>
      {isOffered && <BackUpButton />}
    </div>
  );
}
