import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findDesktop } from '#shared/desktop';
import { findNoticePort } from '#shared/desktop-notices';
import {
  type MailEvent,
  mailEvents,
  type NotificationPreferences,
  personalEvents,
} from '#shared/notifications/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { notificationPreferencesQuery } from '../../api/waiting.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { readLanguage, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Help } from '../../ui/controls.tsx';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Choice of the events that the person is notified of, in this browser and by mail. */
export function Notifications() {
  const t = useText();
  const { data, isPending, error, refetch } = useQuery(notificationPreferencesQuery);
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('notify.title')}</h2>
      <div className="flex min-h-80 flex-col gap-4 p-4 sm:min-h-56">
        <ThisBrowser />
        {isPending && <Skeleton />}
        {!data && error && <ErrorNote error={error} onAgain={() => void refetch()} />}
        {data && <PreferencesForm stored={data.preferences} sendsMail={data.sendsMail} />}
      </div>
    </Card>
  );
}

/** The permission of this browser, which is requested by a click only. */
function ThisBrowser() {
  const t = useText();
  const isSupported = 'Notification' in window && window.isSecureContext;
  const [permission, setPermission] = useState(isSupported ? Notification.permission : 'denied');
  if (findDesktop(window)) return <p className="text-muted">{t('notify.desktop')}</p>;
  if (findNoticePort(window)) return <p className="text-muted">{t('notify.savedServer')}</p>;
  if (!isSupported) return <p className="text-muted">{t('notify.unsupported')}</p>;
  if (permission === 'denied') return <Note tone="warn">{t('notify.denied')}</Note>;
  if (permission === 'granted') return <p className="text-muted">{t('notify.granted')}</p>;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={() => void Notification.requestPermission().then(setPermission)}>{t('notify.allow')}</Button>
      <p className="min-w-0 flex-1 basis-60 text-muted">{t('notify.allowHelp')}</p>
    </div>
  );
}

type FormProps = { stored: NotificationPreferences; sendsMail: boolean };

function PreferencesForm({ stored, sendsMail }: FormProps) {
  const t = useText();
  const [chosen, setChosen] = useState(stored);
  const [isSaved, setSaved] = useState(false);
  const set = (change: Partial<NotificationPreferences>) => {
    setSaved(false);
    setChosen((before) => ({ ...before, ...change }));
  };
  const save = useIntent(async () => {
    const body = { ...chosen, language: readLanguage() };
    const answer = await api.setNotificationPreferences({ body });
    queryClient.setQueryData(notificationPreferencesQuery.queryKey, answer.body);
    setSaved(true);
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Events
          title={t('notify.browser')}
          events={personalEvents}
          chosen={chosen.browser}
          onChange={(browser) => set({ browser })}
        />
        {sendsMail ? (
          <Events
            title={t('notify.mail')}
            events={mailEvents}
            chosen={chosen.mail}
            onChange={(mail) => set({ mail })}
          />
        ) : (
          <p className="text-sm text-muted">{t('notify.noMail')}</p>
        )}
      </div>
      <Workspaces muted={chosen.mutedWorkspaceIds} onChange={(mutedWorkspaceIds) => set({ mutedWorkspaceIds })} />
      {sendsMail && <Help>{t('notify.language')}</Help>}
      {save.error !== undefined && <ErrorNote error={save.error} />}
      <div className="flex items-center gap-3">
        <Button type="submit" busy={save.isBusy}>
          {t('notify.save')}
        </Button>
        <p role="status" className="text-sm text-muted">
          {isSaved && t('notify.saved')}
        </p>
      </div>
    </form>
  );
}

const toggled = <T,>(list: readonly T[], one: T, isOn: boolean): T[] =>
  isOn ? [...list, one] : list.filter((other) => other !== one);

type EventsProps<T> = { title: string; events: readonly T[]; chosen: readonly T[]; onChange: (chosen: T[]) => void };

function Events<T extends MailEvent>({ title, events, chosen, onChange }: EventsProps<T>) {
  const t = useText();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">{title}</legend>
      {events.map((event) => (
        <Check
          key={event}
          text={t(`notify.event.${event}`)}
          isOn={chosen.includes(event)}
          onChange={(isOn) => onChange(toggled(chosen, event, isOn))}
        />
      ))}
    </fieldset>
  );
}

type WorkspacesProps = { muted: readonly string[]; onChange: (muted: string[]) => void };

/** The Workspaces of the person; one alone is not worth a choice. */
function Workspaces({ muted, onChange }: WorkspacesProps) {
  const t = useText();
  const { data = [] } = useQuery({
    queryKey: [...keys.workspaces, 'notifications'],
    queryFn: async () => (await api.listWorkspaces({})).body.workspaces,
  });
  if (data.length < 2 && muted.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">{t('notify.workspaces')}</legend>
      <div className="flex max-h-60 flex-col gap-1.5 overflow-y-auto">
        {data.map(({ id, displayName }) => (
          <Check
            key={id}
            text={visibleText(displayName)}
            isOn={!muted.includes(id)}
            onChange={(isOn) => onChange(toggled(muted, id, !isOn))}
          />
        ))}
      </div>
    </fieldset>
  );
}

const Check = ({ text, isOn, onChange }: { text: string; isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <label className="flex min-h-6 items-start gap-2 text-sm">
    <input type="checkbox" className="mt-1" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    <span className="min-w-0 break-words">{text}</span>
  </label>
);
