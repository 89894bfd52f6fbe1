import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useSession } from '../../api/session.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

type Props = { run: Run; feed: RunFeed };

/** Button that cancels a Run that can be cancelled. */
export function CancelRun({ run, feed }: Props) {
  const mayCancel = useMayCancel(run);
  const isPossible = mayCancel && !hasEnded(run.status) && !runsToItsEnd(run);
  const [wasPossible] = useState(isPossible);
  if (isPossible) return <CancelButton run={run} feed={feed} />;
  // On a narrow screen the button has a row, which stays when the Run ends while its page is open.
  return wasPossible ? <span className="min-h-9 sm:hidden" /> : null;
}

/** Discarding a plan and interrupting an apply need a confirmation. */
function CancelButton({ run, feed }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [isRequested, setRequested] = useState(false);
  const isApplying = isApplyType(run.type) && run.status === 'running';
  const isPlan = run.status === 'waiting_approval' && isPlanType(run.type);
  const cancel = useIntent(async (keyOf) => {
    const body = isApplying ? { interrupt: true } : {};
    await api.cancelRun({ params: { runId: run.id }, body }, keyOf('cancel'));
    setRequested(true);
    setOpen(false);
    invalidateRecord({ kind: 'run', id: run.id });
  });
  const isInterruptRequested =
    run.status === 'running' && (isRequested || feed.audit.some(({ type }) => type === 'apply.interrupt_requested'));
  const close = () => {
    cancel.reset();
    setOpen(false);
  };
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        busy={cancel.isBusy || isInterruptRequested}
        onClick={() => (isApplying || isPlan ? setOpen(true) : void cancel.run())}
        aria-live="polite"
      >
        {!cancel.isBusy && !isInterruptRequested && <CircleStop size={15} aria-hidden="true" />}
        {t(textOf({ run, isApplying, isInterruptRequested }))}
      </Button>
      {cancel.error !== undefined && !isOpen && <ErrorNote error={cancel.error} />}
      <Confirm
        isOpen={isOpen && (isApplying || isPlan)}
        onClose={close}
        title={t(isPlan ? 'run.discard.title' : 'run.interrupt.title')}
        action={t(isPlan ? 'run.cancel.plan' : 'run.interrupt.button')}
        busy={cancel.isBusy}
        error={cancel.error}
        onConfirm={() => void cancel.run()}
      >
        <p>{t(isPlan ? 'run.discard.text' : 'run.interrupt.text')}</p>
        {isApplying && <p className="mt-2">{t('run.interrupt.then')}</p>}
      </Confirm>
    </div>
  );
}

/** A backup or restore that has started runs to its end. */
const runsToItsEnd = ({ type, status }: Run): boolean =>
  (type === 'backup' || type === 'restore') && status === 'running';

/** A member who may only propose can cancel their own plans. */
function useMayCancel(run: Run): boolean {
  const may = useMay();
  const subject = useSession().data?.session.subject;
  return may('applyRun') || (may('cancelRun') && isPlanType(run.type) && run.createdBy === subject);
}

type CancelState = { run: Run; isApplying: boolean; isInterruptRequested: boolean };

function textOf({ run, isApplying, isInterruptRequested }: CancelState) {
  if (isInterruptRequested) return 'run.cancel.asked';
  if (isApplying) return 'run.interrupt.open';
  if (run.type === 'restore') return 'restore.cancel';
  return run.status === 'waiting_approval' ? 'run.cancel.plan' : 'run.cancel.button';
}
