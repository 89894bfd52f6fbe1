import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { dependenciesQuery } from '../../api/links.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Creates a destroy plan for a Capsule. The plan lists the addresses before it is approved. */
export function DestroyCapsule({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const uses = useQuery({ ...dependenciesQuery(capsule.id), enabled: isOpen }).data?.asProducer ?? [];
  const users = new Set(uses.map(({ consumerCapsuleId }) => consumerCapsuleId)).size;
  const plan = useIntent(async (keyOf) => {
    const request = { params: { capsuleId: capsule.id }, body: {} };
    const { run } = (await api.planDestroy(request, keyOf('destroy'))).body;
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  });
  const close = () => {
    plan.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('destroy.button')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('destroy.title', { name: visibleText(capsule.name) })}
        action={t('destroy.action')}
        busy={plan.isBusy}
        error={plan.error}
        onConfirm={() => void plan.run()}
      >
        <p>{t('destroy.text')}</p>
        {users > 0 && <p className="mt-2 font-medium text-warn">{t('destroy.used', { count: users })}</p>}
      </Confirm>
    </>
  );
}
