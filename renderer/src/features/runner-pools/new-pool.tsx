import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PoolNameForm } from './pool-name-form.tsx';

/** Button and form of a new pool. */
export function NewPool() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const create = useIntent(async (keyOf, name: string) => {
    const { runnerPool } = (await api.createRunnerPool({ body: { name } }, keyOf(name))).body;
    invalidateRecord({ kind: 'runner', id: runnerPool.id });
    setOpen(false);
  });
  const close = () => {
    create.reset();
    setOpen(false);
  };
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {t('runners.new')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={t('runners.new')}>
        <PoolNameForm save={create} label={t('runners.create')} onCancel={close} />
      </Dialog>
    </>
  );
}
