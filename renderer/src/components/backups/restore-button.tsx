import { History } from 'lucide-react';
import { useState } from 'react';
import type { Backup } from '#shared/backups/contract';
import { useIsLocalOwner } from '../../api/vault.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { RestoreForm } from './restore-form.tsx';

/** Requests the restore of states from a backup, for the local owner. */
export function RestoreButton({ backup }: { backup: Backup }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  if (!useIsLocalOwner()) return null;
  return (
    <>
      <Button
        aria-label={t('backups.restore.of', { at: dateTimeText(backup.createdAt) })}
        onClick={() => setOpen(true)}
      >
        <History size={15} aria-hidden="true" /> {t('backups.restore')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={t('backups.restore.title')}>
        <RestoreForm backup={backup} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
