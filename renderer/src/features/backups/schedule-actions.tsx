import { useState } from 'react';
import type { BackupSchedule } from '#shared/backup-schedules/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Makes the next copy now, or ends the schedule. */
export function ScheduleActions({ schedule: { workspaceId, current } }: { schedule: BackupSchedule }) {
  const t = useText();
  const may = useMay();
  const [isEnding, setEnding] = useState(false);
  const params = { workspaceId };
  const invalidate = () => queryClient.invalidateQueries({ queryKey: keys.backupSchedule(workspaceId) });
  const start = useIntent(async (keyOf) => {
    await api.startScheduledBackup({ params }, keyOf('start'));
    await invalidate();
  });
  const end = useIntent(async (keyOf) => {
    await api.deleteBackupSchedule({ params }, keyOf('end'));
    setEnding(false);
    await invalidate();
  });
  const close = () => {
    end.reset();
    setEnding(false);
  };
  if (!may('deleteBackupSchedule')) return null;
  const isWorking = current !== undefined && current.retryAt === undefined;
  return (
    <>
      <Button busy={start.isBusy || isWorking} onClick={() => void start.run()}>
        {t(isWorking ? 'backups.now.busy' : 'schedule.start')}
      </Button>
      <Button onClick={() => setEnding(true)}>{t('schedule.end')}</Button>
      {start.error !== undefined && (
        <div className="w-full">
          <ErrorNote error={start.error} />
        </div>
      )}
      <Confirm
        isOpen={isEnding}
        onClose={close}
        title={t('schedule.end.title')}
        action={t('schedule.end')}
        busy={end.isBusy}
        error={end.error}
        onConfirm={() => void end.run()}
      >
        <p>{t('schedule.end.text')}</p>
      </Confirm>
    </>
  );
}
