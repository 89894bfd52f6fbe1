import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Deletes a Source that has no history. The server refuses one with a snapshot or a Capsule. */
export function DeleteSource({ source }: { source: Source }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useIntent(async (keyOf) => {
    await api.deleteSource({ params: { sourceId: source.id } }, keyOf('delete'));
    await navigate({ to: '/sources' });
    queryClient.removeQueries({ queryKey: keys.source(source.id) });
    void queryClient.invalidateQueries({ queryKey: ['source', 'list'] });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('source.delete')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('source.delete.title', { name: visibleText(source.name) })}
        action={t('source.delete.action')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        {t('source.delete.text')}
      </Confirm>
    </>
  );
}
