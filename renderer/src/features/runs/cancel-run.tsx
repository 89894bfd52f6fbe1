import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { isMachineSilent, type RunFeed } from '../../api/run-feed.ts';
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

/**
 * Discarding a plan and interrupting an apply need a confirmation. An interrupted apply whose machine does not report
 * can be ended without it.
 */
function CancelButton({ run, feed }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [isRequested, setRequested] = useState(false);
  const isApplying = isApplyType(run.type) && run.status === 'running';
  const cancel = useIntent(async (keyOf) => {
    const body = isApplying ? { interrupt: true } : {};
    await api.cancelRun({ params: { runId: run.id }, body }, keyOf('cancel'));
    setRequested(true);
    setOpen(false);
    invalidateRecord({ kind: 'run', id: run.id });
  });
  const isInterruptRequested =
    run.status === 'running' && (isRequested || feed.audit.some(({ type }) => type === 'apply.interrupt_requested'));
  const isMachineLost = isApplying && isInterruptRequested && isMachineSilent(feed);
  const isEnding = isInterruptRequested && !isMachineLost;
  const confirmation = confirmationOf(run, isMachineLost);
  const close = () => {
    cancel.reset();
    setOpen(false);
  };
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        busy={cancel.isBusy || isEnding}
        onClick={() => (confirmation ? setOpen(true) : void cancel.run())}
        aria-live="polite"
      >
        {!cancel.isBusy && !isEnding && <CircleStop size={15} aria-hidden="true" />}
        {t(isMachineLost ? 'run.lost.button' : textOf({ run, isApplying, isInterruptRequested }))}
      </Button>
      {cancel.error !== undefined && !isOpen && <ErrorNote error={cancel.error} />}
      {confirmation && (
        <Confirm
          isOpen={isOpen}
          onClose={close}
          title={t(`run.${confirmation}.title`)}
          action={t(`run.${confirmation}.button`)}
          busy={cancel.isBusy}
          error={cancel.error}
          onConfirm={() => void cancel.run()}
        >
          <p>{t(`run.${confirmation}.text`)}</p>
          {confirmation !== 'discard' && <p className="mt-2">{t(`run.${confirmation}.then`)}</p>}
        </Confirm>
      )}
    </div>
  );
}

/** Returns what a person confirms before this Run is cancelled; undefined when that changes nothing. */
function confirmationOf({ type, status }: Run, isMachineLost: boolean): 'discard' | 'interrupt' | 'lost' | undefined {
  if (status === 'waiting_approval' && isPlanType(type)) return 'discard';
  if (status !== 'running' || !isApplyType(type)) return undefined;
  return isMachineLost ? 'lost' : 'interrupt';
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
  return run.status === 'waiting_approval' ? 'run.discard.button' : 'run.cancel.button';
}
