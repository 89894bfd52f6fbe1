import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { isDialogOpen } from '../../ui/keys/key-event.ts';
import { isMac, paletteKeys } from '../../ui/platform.ts';
import { Palette } from './palette.tsx';

/** Opens the palette, also by Ctrl+K or Command+K from anywhere but another dialog. */
export function PaletteButton() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPaletteKey(event) || event.isComposing || event.repeat || (!isOpen && isDialogOpen())) return;
      event.preventDefault();
      setOpen(!isOpen);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
        className="inline-flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-line-strong/50 bg-card px-2.5 py-1.5 text-muted hover:bg-raised hover:text-ink md:mb-2"
      >
        <Search size={16} aria-hidden="true" />
        <span className="sr-only md:not-sr-only">{t('palette.open')}</span>
        <kbd className="ml-auto hidden font-mono text-xs md:inline">{paletteKeys.join(isMac ? '' : ' ')}</kbd>
      </button>
      <Palette isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && !altKey && !shiftKey && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey);
