import { useState } from 'react';
import type { Backup } from '#shared/backups/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { Confirm } from '../confirm.tsx';

/** Deletes a backup after a confirmation, for owners. */
export function DeleteBackup({ backup: { id, workspaceId, createdAt } }: { backup: Backup }) {
  const t = useText();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const remove = useIntent(async (keyOf) => {
    await api.deleteBackup({ params: { workspaceId, backupId: id } }, keyOf('delete'));
    setOpen(false);
    invalidateRecord({ kind: 'backup', id });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  if (!may('deleteBackup')) return null;
  return (
    <>
      <Button aria-label={t('backups.delete.of', { at: dateTimeText(createdAt) })} onClick={() => setOpen(true)}>
        {t('backups.delete')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('backups.delete.title', { at: dateTimeText(createdAt) })}
        action={t('backups.delete')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        <p>{t('backups.delete.text')}</p>
      </Confirm>
    </>
  );
}
