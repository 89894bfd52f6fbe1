import { useState } from 'react';
import type { RunnerPool } from '#shared/runner-pools/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PoolNameForm } from './pool-name-form.tsx';

/** Button and form that give a pool another name. */
export function RenamePool({ pool: { id, name: current } }: { pool: RunnerPool }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const rename = useIntent(async (keyOf, name: string) => {
    await api.updateRunnerPool({ params: { poolId: id }, body: { name } }, keyOf(name));
    invalidateRecord({ kind: 'runner', id });
    setOpen(false);
  });
  const close = () => {
    rename.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('runners.rename')}</Button>
      <Dialog isOpen={isOpen} onClose={close} title={t('runners.rename')}>
        <PoolNameForm initial={current} save={rename} label={t('runners.rename')} onCancel={close} />
      </Dialog>
    </>
  );
}
