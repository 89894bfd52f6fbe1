import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { iconClass } from './controls.tsx';

type Props = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode };

/** Something done beside what is being done. The focus stays inside and returns; a click beside it closes nothing that was typed. */
export function Dialog({ isOpen, onClose, title, children }: Props) {
  const t = useText();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Base.Popup className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(42rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-card text-ink shadow-xl">
          <div className="flex items-start justify-between gap-3 border-b border-line px-5 py-3">
            <Base.Title className="min-w-0 pt-1.5 text-base font-semibold break-words">{title}</Base.Title>
            <Base.Close className={iconClass} aria-label={t('close')}>
              <X size={16} aria-hidden="true" />
            </Base.Close>
          </div>
          <div className="min-h-0 overflow-y-auto px-5 py-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
