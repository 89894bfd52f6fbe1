import { Link } from '@tanstack/react-router';
import type { Backup } from '#shared/backups/contract';
import type { RunRow } from '#shared/runs/contract';
import { DeleteBackup } from '../../components/backups/delete-backup.tsx';
import { DownloadBackup } from '../../components/backups/download-backup.tsx';
import { RestoreButton } from '../../components/backups/restore-button.tsx';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { dateTimeText, Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { backups: readonly Backup[]; runs: ReadonlyMap<string, RunRow> };

/** Rows of backups. Each leads to the Run that made it. */
export function BackupTable({ backups, runs }: Props) {
  const t = useText();
  const who = useWho();
  const runOf = ({ createdByRunId }: Backup) => (createdByRunId === undefined ? undefined : runs.get(createdByRunId));
  const columns: Column<Backup>[] = [
    {
      id: 'made',
      head: t('backups.created'),
      cell: (backup) => <MomentAndExtent backup={backup} capsuleName={runOf(backup)?.capsuleName} />,
    },
    {
      id: 'who',
      head: t('backups.who'),
      cell: (backup) => {
        const run = runOf(backup);
        return <span className="text-muted">{run && who(run.createdBy, run.trigger)}</span>;
      },
      className: 'md:w-36 xl:w-28',
    },
    {
      id: 'size',
      head: t('backups.size'),
      cell: ({ sizeBytes }) => <span className="whitespace-nowrap tabular-nums">{bytesText(sizeBytes)}</span>,
      className: 'md:w-28 md:text-right',
    },
    {
      id: 'digest',
      head: t('backups.digest'),
      cell: ({ digest }) => (
        <span className="relative z-10">
          <ShortId id={digest} what={t('backups.digest')} length={15} />
        </span>
      ),
      className: 'md:w-44',
    },
    {
      id: 'actions',
      head: t('backups.actions'),
      cell: (backup) => (
        <div className="relative z-10 flex flex-wrap gap-2 empty:hidden md:min-w-86 md:justify-end xl:min-w-106">
          {!backup.fileMissing && (
            <>
              <DownloadBackup backup={backup} />
              <RestoreButton backup={backup} />
            </>
          )}
          <DeleteBackup backup={backup} />
        </div>
      ),
      className: 'w-full md:w-80 xl:w-110',
    },
  ];
  return <DataTable label={t('backups.title')} columns={columns} rows={backups} keyOf={({ id }) => id} />;
}

/** Moment and extent of a backup. */
function MomentAndExtent({ backup, capsuleName }: { backup: Backup; capsuleName: string | undefined }) {
  const t = useText();
  const { createdAt, createdByRunId, capsuleId, environment } = backup;
  const at = dateTimeText(createdAt);
  return (
    <>
      {createdByRunId === undefined ? (
        <span className="font-medium">{at}</span>
      ) : (
        <Link to="/runs/$id" params={{ id: createdByRunId }} data-row className={rowLinkClass}>
          {at}
        </Link>
      )}
      <p className="text-xs break-words text-muted">
        {capsuleId === undefined
          ? t('backups.of.workspace')
          : t('backups.of.capsule', { name: visibleText(capsuleName ?? capsuleId) })}
        {environment !== undefined && environment !== 'default' && ` (${visibleText(environment)})`} ·{' '}
        <Since at={createdAt} />
      </p>
      {backup.fileMissing && <p className="text-xs text-warn">{t('backups.missing')}</p>}
    </>
  );
}
