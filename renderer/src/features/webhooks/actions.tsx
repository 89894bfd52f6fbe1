import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '#shared/webhooks/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { WebhookSecret } from './created-secret.tsx';
import { type WebhookDraft, WebhookForm } from './webhook-form.tsx';

const pathOf = ({ workspaceId, id }: Webhook) => ({ workspaceId, webhookId: id });

/** Actions of a webhook: test, edit, new secret, disable or enable, delete. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [isEditing, setEditing] = useState(false);
  const test = useIntent(async () => {
    await api.testWebhook({ params: pathOf(webhook) });
    invalidateRecord({ kind: 'webhook', id: webhook.id });
  });
  const toggle = useIntent(async () => {
    await api.updateWebhook({ params: pathOf(webhook), body: { enabled: !webhook.enabled } });
    invalidateRecord({ kind: 'webhook', id: webhook.id });
  });
  const error = test.error ?? toggle.error;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" busy={test.isBusy} onClick={() => void test.run()}>
          {t('webhooks.test')}
        </Button>
        <Button onClick={() => setEditing(true)}>{t('webhooks.edit')}</Button>
        <RotateSecret webhook={webhook} />
        <Button busy={toggle.isBusy} onClick={() => void toggle.run()}>
          {t(webhook.enabled ? 'webhooks.disable' : 'webhooks.enable')}
        </Button>
        <DeleteWebhook webhook={webhook} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <EditWebhook webhook={webhook} isOpen={isEditing} onClose={() => setEditing(false)} />
    </div>
  );
}

function EditWebhook({ webhook, isOpen, onClose }: { webhook: Webhook; isOpen: boolean; onClose: () => void }) {
  const t = useText();
  const { name, events, format, host } = webhook;
  const save = useIntent(async (_keyOf, draft: WebhookDraft) => {
    const url = draft.url.trim();
    await api.updateWebhook({
      params: pathOf(webhook),
      body: {
        name: draft.name.trim(),
        events: [...draft.events],
        format: draft.format,
        ...(url !== '' && { url }),
      },
    });
    invalidateRecord({ kind: 'webhook', id: webhook.id });
    onClose();
  });
  const close = () => {
    save.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t('webhooks.edit.title')}>
      <WebhookForm
        initial={{ name, url: '', events, format }}
        host={host}
        action={t('save')}
        save={save}
        onSubmit={(draft) => void save.run(draft)}
      />
    </Dialog>
  );
}

function RotateSecret({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const rotate = useIntent(async () => {
    // Sent without an idempotency key, because a replayed response has no secret.
    const { body } = await api.rotateWebhookSecret({ params: pathOf(webhook) });
    setOpen(false);
    setSecret(body.signingSecret);
    invalidateRecord({ kind: 'webhook', id: webhook.id });
  });
  const close = () => {
    rotate.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('webhooks.rotate')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('webhooks.rotate.title')}
        action={t('webhooks.rotate')}
        busy={rotate.isBusy}
        error={rotate.error}
        onConfirm={() => void rotate.run()}
      >
        <p>{t('webhooks.rotate.text')}</p>
      </Confirm>
      <Dialog isOpen={secret !== undefined} onClose={() => setSecret(undefined)} title={t('webhooks.secret.title')}>
        <WebhookSecret secret={secret ?? ''} onClose={() => setSecret(undefined)} />
      </Dialog>
    </>
  );
}

function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useIntent(async () => {
    await api.deleteWebhook({ params: pathOf(webhook) });
    await navigate({ to: '/workspace/webhooks' });
    invalidateRecord({ kind: 'webhook', id: webhook.id });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('webhooks.delete')}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('webhooks.delete.title', { name: visibleText(webhook.name) })}
        action={t('webhooks.delete')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        <p>{t('webhooks.delete.text')}</p>
      </Confirm>
    </>
  );
}
