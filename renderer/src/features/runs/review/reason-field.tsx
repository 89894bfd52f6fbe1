import { useId } from 'react';
import { useText } from '../../../i18n/text.ts';

type ReasonProps = { reason: string; onChange: (reason: string) => void; disabled: boolean };

/** Field for the reason of an approval. */
export function ReasonField({ reason, onChange, disabled }: ReasonProps) {
  const t = useText();
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {t('run.review.reason')}
      </label>
      <input
        id={id}
        value={reason}
        maxLength={200}
        disabled={disabled}
        placeholder={t('run.review.reason')}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-9 min-w-0 flex-1 rounded-md sm:w-56 sm:flex-none border border-line-strong/60 bg-card px-3 py-1.5 placeholder:text-muted"
      />
    </>
  );
}
