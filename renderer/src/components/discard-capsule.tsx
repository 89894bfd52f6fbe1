import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../api/client.ts';
import { useIntent } from '../api/intent.ts';
import { invalidateRecord } from '../api/queries.ts';
import { useMay } from '../api/role.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { Confirm } from './confirm.tsx';

/** Discards a Capsule that was never applied and has no resources. */
export function DiscardCapsule({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const discard = useIntent(async (keyOf) => {
    await api.deleteCapsule({ params: { capsuleId: capsule.id } }, keyOf('discard'));
    invalidateRecord({ kind: 'capsule', id: capsule.id });
    await navigate({ to: '/capsules' });
  });
  const may = useMay();
  if (!may('deleteCapsule')) return null;
  const close = () => {
    discard.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('discard.button')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('discard.title', { name: visibleText(capsule.name) })}
        action={t('discard.button')}
        busy={discard.isBusy}
        error={discard.error}
        onConfirm={() => void discard.run()}
      >
        {t('discard.text')}
      </Confirm>
    </>
  );
}
