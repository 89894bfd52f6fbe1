import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../i18n/text.ts';
import { iconClass } from './controls.tsx';

type Props = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode };

/**
 * Modal dialog for a secondary task. The focus starts in the first field, stays inside and returns; content with a new
 * title takes the focus. A click outside does not close it, so nothing typed is lost.
 */
export function Dialog({ isOpen, onClose, title, children }: Props) {
  const t = useText();
  const content = useRef<HTMLDivElement>(null);
  const lastTitle = useRef(title);
  const field = () => content.current?.querySelector<HTMLElement>('input, select, textarea');
  useEffect(() => {
    if (lastTitle.current === title) return;
    lastTitle.current = title;
    // The focused element was removed with the previous content.
    content.current?.querySelector<HTMLElement>('input, select, textarea, button, a[href]')?.focus();
  }, [title]);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Base.Popup
          // On touch devices, focusing a field would open the keyboard over the text.
          initialFocus={(way) => (way === 'touch' ? true : (field() ?? true))}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(42rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-card text-ink shadow-xl"
        >
          <div className="flex items-start justify-between gap-3 border-b border-line px-5 py-3">
            <Base.Title className="min-w-0 pt-1.5 text-base font-semibold break-words">{title}</Base.Title>
            <Base.Close className={iconClass} aria-label={t('close')}>
              <X size={16} aria-hidden="true" />
            </Base.Close>
          </div>
          <div ref={content} className="min-h-0 overflow-y-auto px-5 py-4">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
