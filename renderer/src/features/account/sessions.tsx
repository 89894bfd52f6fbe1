import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionEntry } from '#shared/identity/api';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { deviceOf } from './device.ts';
import { ignoreGone } from './ignore-gone.ts';

/** Reloads the whole page, so that no data of the account stays in memory. */
const leave = (): void => location.replace('/sign-in');

/** Ends this session alone. */
export function SignOut() {
  const t = useText();
  const out = useIntent(async () => {
    await api.endSession({});
    leave();
  });
  return (
    <div>
      <Button busy={out.isBusy} onClick={() => void out.run()}>
        {t('account.signOut')}
      </Button>
      {out.error !== undefined && <ErrorNote error={out.error} />}
    </div>
  );
}

/** Sessions of the account. They can be ended one by one, all except this one, or all. */
export function Sessions() {
  const t = useText();
  const query = useQuery({
    queryKey: keys.sessions,
    queryFn: async () => (await api.listSessions({})).body.sessions,
  });
  const others = query.data?.filter(({ current }) => !current) ?? [];
  return (
    <Card>
      <SectionTitle id="sessions" className="border-b border-line px-4 py-2.5" />
      {query.isPending && <Skeleton />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      <ul aria-label={t('account.sessions')} className="max-h-96 overflow-y-auto">
        {query.data?.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 border-t border-line p-4">
        {others.length > 0 && (
          <EndMany
            textId="account.others"
            end={async () => {
              for (const { id } of others) await api.endOneSession({ params: { sessionId: id } }).catch(ignoreGone);
              await queryClient.invalidateQueries({ queryKey: keys.sessions });
            }}
          />
        )}
        <EndMany
          textId="account.everywhere"
          end={async () => {
            await api.endAllSessions({});
            leave();
          }}
        />
      </div>
    </Card>
  );
}

function SessionRow({ session }: { session: SessionEntry }) {
  const t = useText();
  const { id, userAgent, current, createdAt, lastSeenAt } = session;
  const name = deviceOf(userAgent) ?? t('account.session.unknown');
  const end = useIntent(async () => {
    await api.endOneSession({ params: { sessionId: id } }).catch(ignoreGone);
    await queryClient.invalidateQueries({ queryKey: keys.sessions });
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <div className="min-w-0">
        <p className="break-words" title={userAgent}>
          {name} {current && <Pill tone="good">{t('account.session.this')}</Pill>}
        </p>
        <p className="text-sm text-muted">
          {t('account.session.seen')} <Since at={lastSeenAt} /> · {t('account.session.started')}{' '}
          <Since at={createdAt} />
        </p>
        {end.error !== undefined && <ErrorNote error={end.error} />}
      </div>
      {!current && (
        <Button busy={end.isBusy} aria-label={t('account.session.endNamed', { name })} onClick={() => void end.run()}>
          {t('account.session.end')}
        </Button>
      )}
    </li>
  );
}

function EndMany({ textId, end }: { textId: 'account.others' | 'account.everywhere'; end: () => Promise<void> }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const ending = useIntent(async () => {
    await end();
    setOpen(false);
  });
  const close = () => {
    ending.reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t(textId)}</Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t(`${textId}.ask` satisfies TextId)}
        action={t(textId)}
        busy={ending.isBusy}
        error={ending.error}
        onConfirm={() => void ending.run()}
      >
        <p>{t(`${textId}.text` satisfies TextId)}</p>
      </Confirm>
    </>
  );
}
