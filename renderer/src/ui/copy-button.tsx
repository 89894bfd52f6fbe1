import { Check, Copy } from 'lucide-react';
import { useText } from '../i18n/text.ts';
import { CopyFailed } from './copy-failed.tsx';
import { useCopy } from './use-copy.ts';

/** Copies a text and confirms it briefly. `what` names the text for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const t = useText();
  const { outcome, copy } = useCopy();
  const isDone = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        onClick={() => void copy(text)}
        aria-label={`${isDone ? t('copied') : t('copy')}: ${what}`}
        className="inline-flex min-h-[24px] min-w-[24px] cursor-pointer items-center justify-center rounded p-1 text-muted hover:bg-raised hover:text-ink"
      >
        {isDone ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
      </button>
      {outcome === 'failed' && <CopyFailed />}
    </>
  );
}
