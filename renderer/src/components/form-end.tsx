import type { ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from './error-note.tsx';
import { RefusedFields } from './refused-fields.tsx';

type Props = {
  /** State of the request that the form sends. */
  save: { error?: unknown; isBusy: boolean };
  /** Note about the error, where the form has texts of its own for it. */
  refusal?: ReactNode;
  /** Text of the button that submits. */
  label: string;
  /** Closes the form; absent where the form stays. */
  onCancel?: (() => void) | undefined;
  /** Text of the button that closes, when it is not "Cancel". */
  cancel?: string | undefined;
};

/**
 * End of a form: its refused fields, the error of its request, the button that submits, and the one that closes the
 * form. Fields are marked as invalid after an attempt to submit.
 */
export function FormEnd({ save: { error, isBusy }, refusal, label, onCancel, cancel }: Props) {
  const t = useText();
  return (
    <>
      <RefusedFields isShown />
      {refusal ?? (error !== undefined && <ErrorNote error={error} />)}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={isBusy}>
          {label}
        </Button>
        {onCancel && (
          <Button onClick={onCancel} disabled={isBusy}>
            {cancel ?? t('cancel')}
          </Button>
        )}
      </div>
    </>
  );
}
