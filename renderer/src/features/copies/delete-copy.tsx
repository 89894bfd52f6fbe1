import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Copy } from '#shared/copies/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Deletes a copy after a confirmation. The server refuses one that a Capsule was installed from. */
export function DeleteCopy({ copy }: { copy: Copy }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useIntent(async (keyOf) => {
    await api.deleteCopy({ params: { copyId: copy.id } }, keyOf('delete'));
    await navigate({ to: '/copies' });
    queryClient.removeQueries({ queryKey: keys.copy(copy.id) });
    void queryClient.invalidateQueries({ queryKey: ['copy', 'list'] });
    void queryClient.invalidateQueries({ queryKey: ['source', 'list'] });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('copy.delete')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('copy.delete.title', { name: visibleText(copy.name) })}
        action={t('copy.delete.action')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        {t('copy.delete.text')}
      </Confirm>
    </>
  );
}
