import { useState } from 'react';
import type { OutputShare } from '#shared/output-shares/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';

/** Revokes a share or withdraws an offer, after a dialog that describes what stays unchanged. */
export function RevokeShare({ share }: { share: OutputShare }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const isOffer = share.status === 'pending';
  const revoke = useIntent(async (keyOf) => {
    await api.revokeShare({ params: { shareId: share.id } }, keyOf('revoke'));
    setOpen(false);
    invalidateRecord({ kind: 'output_share', id: share.id });
  });
  const close = () => {
    revoke.reset();
    setOpen(false);
  };
  const action = t(isOffer ? 'shares.withdraw' : 'shares.revoke');
  return (
    <>
      <button type="button" className={quietClass} onClick={() => setOpen(true)}>
        {action}
      </button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t(isOffer ? 'shares.withdraw.title' : 'shares.revoke.title')}
        action={action}
        busy={revoke.isBusy}
        error={revoke.error}
        onConfirm={() => void revoke.run()}
      >
        {t(isOffer ? 'shares.withdraw.text' : 'shares.revoke.text')}
      </Confirm>
    </>
  );
}
