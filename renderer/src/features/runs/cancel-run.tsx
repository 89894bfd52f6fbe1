import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { isApplyType, type Run } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { forgetChanged } from '../../api/queries.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Ends a Run. One that waits ends at once; a running apply is only interrupted, and that is asked about first. */
export function CancelRun({ run, feed }: { run: Run; feed: RunFeed }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const isApplying = isApplyType(run.type) && run.status === 'running';
  const cancel = useIntent(async (keyOf) => {
    const body = isApplying ? { interrupt: true } : {};
    await api.cancelRun({ params: { runId: run.id }, body }, keyOf('cancel'));
    setAsked(true);
    setOpen(false);
    forgetChanged({ kind: 'run', id: run.id });
  });
  if (hasEnded(run.status) || run.type === 'backup' || run.type === 'restore') return null;
  const wasAsked =
    run.status === 'running' && (isAsked || feed.audit.some(({ type }) => type === 'apply.interrupt_requested'));
  const close = () => {
    cancel.forget();
    setOpen(false);
  };
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        busy={cancel.isBusy || wasAsked}
        onClick={() => (isApplying ? setOpen(true) : void cancel.run())}
        aria-live="polite"
      >
        {!cancel.isBusy && !wasAsked && <CircleStop size={15} aria-hidden="true" />}
        {t(textOf({ run, isApplying, wasAsked }))}
      </Button>
      {cancel.error !== undefined && !isOpen && <ErrorNote error={cancel.error} />}
      <Confirm
        isOpen={isOpen && isApplying}
        onClose={close}
        title={t('run.interrupt.title')}
        action={t('run.interrupt.button')}
        busy={cancel.isBusy}
        error={cancel.error}
        onConfirm={() => void cancel.run()}
      >
        <p>{t('run.interrupt.text')}</p>
        <p className="mt-2">{t('run.interrupt.then')}</p>
      </Confirm>
    </div>
  );
}

type Standing = { run: Run; isApplying: boolean; wasAsked: boolean };

function textOf({ run, isApplying, wasAsked }: Standing) {
  if (wasAsked) return 'run.cancel.asked';
  if (isApplying) return 'run.interrupt.open';
  return run.status === 'waiting_approval' ? 'run.cancel.plan' : 'run.cancel.button';
}
