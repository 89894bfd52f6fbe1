import type { ReactNode } from 'react';
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
  /** Instructions for its use. */
  children?: ReactNode;
  onClose: () => void;
};

/** A secret that was just created, shown once. */
export function CreatedSecret({ secret, what, text, testId, children, onClose }: Props) {
  const t = useText();
  return (
    <div className="flex flex-col gap-4">
      <Note tone="warn">
        <span className="flex items-start gap-1">
          <code data-testid={testId} className="line-clamp-6 min-w-0 font-mono text-sm break-all">
            {secret}
          </code>
          <CopyButton text={secret} what={what} />
        </span>
      </Note>
      <p className="text-muted">{text}</p>
      {children}
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}
