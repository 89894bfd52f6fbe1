import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Note } from '../ui/surface.tsx';

type Props = {
  secret: string;
  /** Name of the secret for the copy button. */
  what: string;
  /** Sentence under the secret. */
  text: string;
  testId: string;
  onClose: () => void;
};

/** A secret that was just created, shown once. */
export function CreatedSecret({ secret, what, text, testId, onClose }: Props) {
  const t = useText();
  return (
    <div className="flex flex-col gap-4">
      <Note tone="warn">
        <span className="flex items-start gap-1">
          <code data-testid={testId} className="min-w-0 font-mono text-sm break-all">
            {secret}
          </code>
          <CopyButton text={secret} what={what} />
        </span>
      </Note>
      <p className="text-muted">{text}</p>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}
