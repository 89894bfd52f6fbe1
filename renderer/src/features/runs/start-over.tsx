import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { forgetChanged } from '../../api/queries.ts';
import { sourceQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** For a Capsule that was never applied: back to its inputs, or give it up. */
export function StartOver({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const discard = useIntent(async (keyOf) => {
    await api.deleteCapsule({ params: { capsuleId: capsule.id } }, keyOf('discard'));
    forgetChanged({ kind: 'capsule', id: capsule.id });
    await navigate({ to: '/capsules' });
  });
  const close = () => {
    discard.forget();
    setOpen(false);
  };
  return (
    <>
      {source && (
        <Link to="/install" search={{ url: source.url }} className={buttonClass()}>
          {t('next.form')}
        </Link>
      )}
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
