import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Note } from '../../ui/surface.tsx';

/** The secret of a webhook, shown once. */
export function CreatedSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useText();
  return (
    <div className="flex flex-col gap-4">
      <Note tone="warn">
        <span className="flex items-start gap-1">
          <code data-testid="webhook-secret" className="min-w-0 font-mono text-sm break-all">
            {secret}
          </code>
          <CopyButton text={secret} what={t('webhooks.secret')} />
        </span>
      </Note>
      <p className="text-muted">{t('webhooks.secret.text')}</p>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}
