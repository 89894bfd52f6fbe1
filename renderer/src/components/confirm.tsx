import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Text of the button. */
  action: string;
  /** Label of the cancel button, where "Cancel" could be mistaken for the action. */
  back?: string;
  onConfirm: () => void;
  busy?: boolean;
  error?: unknown;
};

/** Asks for confirmation before an action that cannot be undone. The focus stays inside and returns to its origin. */
export function Confirm({ isOpen, onClose, title, children, action, back, onConfirm, busy = false, error }: Props) {
  const t = useText();
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && !busy && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-card p-5 text-ink shadow-xl">
          <AlertDialog.Title className="text-base font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted" render={<div />}>
            {children}
          </AlertDialog.Description>
          {error !== undefined && error !== null && (
            <div className="mt-4">
              <ErrorNote error={error} />
            </div>
          )}
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <Button onClick={onClose} disabled={busy}>
              {back ?? t('cancel')}
            </Button>
            <Button variant="destructive" busy={busy} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
