import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../i18n/text.ts';
import { copyText } from './copy-text.ts';

/** Copies a text and confirms it briefly. `what` names the text for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const t = useText();
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`${done ? t('copied') : t('copy')}: ${what}`}
      className="inline-flex min-h-[24px] min-w-[24px] cursor-pointer items-center justify-center rounded p-1 text-muted hover:bg-raised hover:text-ink"
    >
      {done ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
    </button>
  );
}
