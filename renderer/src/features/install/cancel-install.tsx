import { useState } from 'react';
import type { InstallPlan } from '#shared/install-plans/contract';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { cancelInstall } from './reconcile-loop.ts';

type Props = { plan: InstallPlan; onCancel: () => void; onRefused: () => void };

/**
 * Cancels an installation that has no plan yet. `onCancel` stops the loop that advances it; `onRefused` may resume it.
 */
export function CancelInstall({ plan, onCancel, onRefused }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const cancel = async () => {
    setBusy(true);
    setError(undefined);
    onCancel();
    try {
      queryClient.setQueryData(keys.installPlan(plan.id), await cancelInstall(plan));
      setOpen(false);
    } catch (refusal) {
      setError(refusal);
      onRefused();
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('progress.cancel')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('progress.cancel.title', { name: visibleText(plan.capsule.name) })}
        action={t('progress.cancel')}
        back={t('progress.cancel.back')}
        busy={isBusy}
        error={error}
        onConfirm={() => void cancel()}
      >
        {t('progress.cancel.text')}
      </Confirm>
    </>
  );
}
