import { useState } from 'react';
import type { Interface } from '#shared/interfaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { GrantForm, type NewBinding } from './grant-form.tsx';

/** Allows a person, a Capsule or a Resource to use an Interface. */
export function GrantInterface({ shown: { id, name, spec } }: { shown: Interface }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const grant = useIntent(async (keyOf, body: NewBinding) => {
    await api.createInterfaceBinding({ params: { interfaceId: id }, body }, keyOf(JSON.stringify(body)));
    setOpen(false);
    invalidateRecord({ kind: 'interface', id });
  });
  const close = () => {
    grant.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('interfaces.grant')}</Button>
      <Dialog isOpen={isOpen} onClose={close} title={t('interfaces.grant.title', { name: visibleText(name) })}>
        <GrantForm type={spec.type} save={grant} onSubmit={(body) => void grant.run(body)} onCancel={close} />
      </Dialog>
    </>
  );
}
