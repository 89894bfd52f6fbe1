import { useState } from 'react';
import type { Dependency } from '#shared/dependencies/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** Removes a Dependency, after a dialog that describes the effect on the next plan. */
export function RemoveInput({ row, onRemoved }: { row: Dependency; onRemoved: () => void }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const names = Object.values(row.outputs)
    .map(({ to }) => visibleText(to))
    .join(', ');
  const remove = useIntent(async (keyOf) => {
    await api.deleteDependency({ params: { dependencyId: row.id } }, keyOf('remove'));
    setOpen(false);
    onRemoved();
    invalidateRecord({ kind: 'dependency', id: row.id });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        className={quietClass}
        aria-label={t('links.remove.what', { names })}
        onClick={() => setOpen(true)}
      >
        {t('links.remove')}
      </button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('links.remove.title', { names })}
        action={t('links.remove')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        {t('links.remove.text')}
      </Confirm>
    </>
  );
}
