import { Download } from 'lucide-react';
import type { Backup } from '#shared/backups/contract';
import { downloadBackup } from '../../api/backups.ts';
import { useIntent } from '../../api/intent.ts';
import { useMay } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { ErrorNote } from '../error-note.tsx';

/** Downloads a backup as one file, for owners. */
export function DownloadBackup({ backup }: { backup: Backup }) {
  const t = useText();
  const may = useMay();
  const download = useIntent(() => downloadBackup(backup));
  if (!may('downloadBackup')) return null;
  return (
    <>
      <Button
        busy={download.isBusy}
        aria-label={t('backups.download.of', { at: dateTimeText(backup.createdAt) })}
        onClick={() => void download.run()}
      >
        {!download.isBusy && <Download size={15} aria-hidden="true" />}
        {t('backups.download')}
      </Button>
      {download.error !== undefined && (
        <div className="order-last w-full">
          <ErrorNote error={download.error} />
        </div>
      )}
    </>
  );
}
