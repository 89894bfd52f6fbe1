import { useState } from 'react';
import type { Interface } from '#shared/interfaces/contract';
import { interfaceTag } from '#shared/interfaces/tag';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Retires an Interface, in the version that is shown. */
export function RetireInterface({ shown: { id, name, metadata, status } }: { shown: Interface }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const retire = useIntent(async (keyOf) => {
    const { generation } = metadata;
    const tag = interfaceTag({ generation, resolvedRevision: status.resolvedRevision });
    await api.retireInterface({ params: { interfaceId: id } }, { ...keyOf(tag), 'if-match': tag });
    setOpen(false);
    invalidateRecord({ kind: 'interface', id });
  });
  const close = () => {
    retire.reset();
    setOpen(false);
    if (retire.error !== undefined) invalidateRecord({ kind: 'interface', id });
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('interfaces.retire')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('interfaces.retire.title', { name: visibleText(name) })}
        action={t('interfaces.retire.do')}
        busy={retire.isBusy}
        error={retire.error}
        onConfirm={() => void retire.run()}
      >
        {t('interfaces.retire.text')}
      </Confirm>
    </>
  );
}
