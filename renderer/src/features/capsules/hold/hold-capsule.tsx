import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { HoldForm } from './hold-form.tsx';

/** Opens the form of a hold: a new one, or that of a held Capsule. */
export function HoldCapsule({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t(capsule.hold ? 'hold.change' : 'hold.button')}</Button>
      <Dialog isOpen={isOpen} onClose={close} title={t('hold.dialog', { name: visibleText(capsule.name) })}>
        <HoldForm capsule={capsule} onEnd={close} />
      </Dialog>
    </>
  );
}
