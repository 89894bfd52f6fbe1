import { CreatedSecret } from '../../components/created-secret.tsx';
import { useText } from '../../i18n/text.ts';

/** The secret of a webhook, shown once. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useText();
  return (
    <CreatedSecret
      secret={secret}
      what={t('webhooks.secret')}
      text={t('webhooks.secret.text')}
      testId="webhook-secret"
      onClose={onClose}
    />
  );
}
