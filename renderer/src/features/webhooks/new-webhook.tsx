import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { WebhookSecret } from './created-secret.tsx';
import { freshDraft, type WebhookDraft, WebhookForm } from './webhook-form.tsx';

type Created = { id: string; secret: string };

/** Creates a webhook and shows its secret once. */
export function NewWebhook({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Created>();
  const workspaceId = useWorkspaceId();
  const create = useIntent(async (_keyOf, { name, url, events, format }: WebhookDraft) => {
    // Sent without an idempotency key, because a replayed response has no secret.
    const { body } = await api.createWebhook({
      params: { workspaceId },
      body: { name: name.trim(), url: url.trim(), events: [...events], format },
    });
    setCreated({ id: body.webhook.id, secret: body.signingSecret ?? '' });
    invalidateRecord({ kind: 'webhook', id: body.webhook.id });
  });
  const close = () => {
    create.reset();
    setCreated(undefined);
    onClose();
    if (created) void navigate({ to: '/workspace/webhooks/$id', params: { id: created.id } });
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t(created ? 'webhooks.secret.title' : 'webhooks.new')}>
      {created ? (
        <WebhookSecret secret={created.secret} onClose={close} />
      ) : (
        <WebhookForm
          initial={freshDraft}
          action={t('webhooks.create')}
          save={create}
          onSubmit={(draft) => void create.run(draft)}
        />
      )}
    </Dialog>
  );
}
