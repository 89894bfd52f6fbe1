import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  /** State of the request that the form sends. */
  save: { error?: unknown; isBusy: boolean };
  /** Text of the button that submits. */
  label: string;
  onCancel: () => void;
};

/** End of a form: the error of its request, the button that submits, and the one that closes the form. */
export function FormEnd({ save: { error, isBusy }, label, onCancel }: Props) {
  const t = useText();
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={isBusy}>
          {label}
        </Button>
        <Button onClick={onCancel} disabled={isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </>
  );
}
