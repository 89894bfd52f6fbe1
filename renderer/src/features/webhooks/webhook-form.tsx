import { type FormEvent, useId, useRef, useState } from 'react';
import { type NotificationEvent, notificationEventNames } from '#shared/notifications/events';
import { type WebhookFormat, WebhookName, webhookFormats } from '#shared/webhooks/contract';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled, Problem, SecretInput } from '../../ui/controls.tsx';

export type WebhookDraft = { name: string; url: string; events: readonly NotificationEvent[]; format: WebhookFormat };

export const freshDraft: WebhookDraft = {
  name: '',
  url: '',
  events: ['run.waiting', 'run.failed', 'capsule.drift_detected', 'webhook.disabled'],
  format: 'json',
};

const isNameRight = ({ name }: WebhookDraft): boolean => WebhookName.safeParse(name.trim()).success;
/** A browser accepts fewer addresses than the server of an operator who allows a host by http. */
const isUrlRight = ({ url }: WebhookDraft): boolean => /^https?:\/\/./.test(url.trim());

type Props = {
  initial: WebhookDraft;
  /** Host of the stored address, which stays when the field is empty. */
  host?: string;
  action: string;
  save: { isBusy: boolean; error?: unknown };
  onSubmit: (draft: WebhookDraft) => void;
};

/** Fields of a webhook, to create or change one. */
export function WebhookForm({ initial, host, action, save, onSubmit }: Props) {
  const t = useText();
  const id = useId();
  const [draft, setDraft] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isUrlMissing = !(isUrlRight(draft) || (host !== undefined && draft.url.trim() === ''));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isNameRight(draft) && !isUrlMissing && draft.events.length > 0) onSubmit(draft);
    else focusInvalid(form.current);
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Labelled
        id={`${id}-name`}
        label={t('webhooks.name')}
        problem={isChecked && !isNameRight(draft) ? t('webhooks.name.wrong') : undefined}
      >
        <input
          id={`${id}-name`}
          value={draft.name}
          autoComplete="off"
          aria-invalid={isChecked && !isNameRight(draft)}
          aria-describedby={`${id}-name-help`}
          onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          className={inputClass}
        />
      </Labelled>
      <Labelled
        id={`${id}-url`}
        label={t('webhooks.url')}
        help={host === undefined ? t('webhooks.url.help') : t('webhooks.url.kept', { host })}
        problem={isChecked && isUrlMissing ? t('webhooks.url.wrong') : undefined}
      >
        <SecretInput
          id={`${id}-url`}
          value={draft.url}
          isLong={false}
          what={t('webhooks.url')}
          autoComplete="off"
          inputMode="url"
          aria-invalid={isChecked && isUrlMissing}
          aria-describedby={`${id}-url-help`}
          onText={(url) => setDraft({ ...draft, url })}
        />
      </Labelled>
      <Labelled id={`${id}-format`} label={t('webhooks.format')} help={t(`webhooks.format.${draft.format}.help`)}>
        <select
          id={`${id}-format`}
          className={inputClass}
          value={draft.format}
          aria-describedby={`${id}-format-help`}
          onChange={({ target }) =>
            setDraft({ ...draft, format: webhookFormats.find((one) => one === target.value) ?? 'json' })
          }
        >
          {webhookFormats.map((format) => (
            <option key={format} value={format}>
              {t(`webhooks.format.${format}`)}
            </option>
          ))}
        </select>
      </Labelled>
      <Events draft={draft} onChange={setDraft} isWrong={isChecked && draft.events.length === 0} />
      <FormEnd save={save} label={action} />
    </form>
  );
}

type EventsProps = { draft: WebhookDraft; onChange: (draft: WebhookDraft) => void; isWrong: boolean };

function Events({ draft, onChange, isWrong }: EventsProps) {
  const t = useText();
  const toggle = (event: NotificationEvent, isOn: boolean) =>
    onChange({
      ...draft,
      events: notificationEventNames.filter((one) => (one === event ? isOn : draft.events.includes(one))),
    });
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t('webhooks.events')}</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {notificationEventNames.map((event, index) => (
          <label key={event} className="flex items-start gap-2 py-1">
            <input
              type="checkbox"
              className="mt-1"
              aria-invalid={(isWrong && index === 0) || undefined}
              checked={draft.events.includes(event)}
              onChange={({ target }) => toggle(event, target.checked)}
            />
            {t(`webhooks.event.${event}`)}
          </label>
        ))}
      </div>
      {isWrong && <Problem>{t('webhooks.events.wrong')}</Problem>}
    </fieldset>
  );
}
