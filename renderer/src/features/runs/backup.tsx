import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Backup } from '#shared/backups/contract';
import type { Run } from '#shared/runs/contract';
import { backupQuery } from '../../api/backups.ts';
import { whenKnown } from '../../api/when-known.ts';
import { DownloadBackup } from '../../components/backups/download-backup.tsx';
import { RestoreButton } from '../../components/backups/restore-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import { dateTimeText } from '../../ui/time.tsx';

/** The backup that a Run has made, or its state before that. */
export function RunBackup({ run }: { run: Run }) {
  const t = useText();
  if (run.type !== 'backup' || (run.status !== 'succeeded' && run.status !== 'running')) return null;
  return (
    <div className="mb-4">
      {run.backupId === undefined ? (
        <Note>{t('backups.run.working')}</Note>
      ) : (
        <CompletedBackup id={run.backupId} run={run} />
      )}
    </div>
  );
}

function CompletedBackup({ id, run }: { id: string; run: Run }) {
  const t = useText();
  const query = useQuery(whenKnown(id, (known) => backupQuery(run.workspaceId, known)));
  if (query.data) return <BackupCard backup={query.data} />;
  if (query.isPending) return <Skeleton lines={4} />;
  if (query.isError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  return <Note tone="warn">{t('backups.run.gone')}</Note>;
}

function BackupCard({ backup }: { backup: Backup }) {
  const t = useText();
  const { createdAt, sizeBytes, digest } = backup;
  return (
    <Card>
      <Facts
        items={[
          { term: t('backups.created'), value: dateTimeText(createdAt) },
          { term: t('backups.size'), value: bytesText(sizeBytes) },
          {
            term: t('backups.digest'),
            value: (
              <span className="flex items-start gap-1">
                <code className="min-w-0 font-mono text-[0.93em] break-all">{digest}</code>
                <CopyButton text={digest} what={t('backups.digest')} />
              </span>
            ),
          },
        ]}
      />
      <div className="flex flex-wrap gap-2 border-t border-line px-4 py-3">
        <DownloadBackup backup={backup} />
        <RestoreButton backup={backup} />
        <Link to="/workspace/backups" className={buttonClass()}>
          {t('backups.all')}
        </Link>
      </div>
    </Card>
  );
}
