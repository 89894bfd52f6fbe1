import { Link } from '@tanstack/react-router';
import { useSession } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card, PageTitle } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ChangePassword } from './change-password.tsx';
import { Consents } from './consents.tsx';
import { Notifications } from './notifications.tsx';
import { Sessions, SignOut } from './sessions.tsx';

/** Account page: identity, notifications, sessions, allowed apps and password. */
export function AccountPage() {
  const t = useText();
  const { data } = useSession();
  if (!data) return null;
  const { displayName, email, subject, createdAt } = data.session;
  const none = <span className="text-muted">{t('account.none')}</span>;
  return (
    <>
      <PageTitle
        title={t('account.title')}
        lead={t('account.lead')}
        actions={
          <>
            <Link to="/tokens" className={buttonClass()}>
              {t('tokens.link')}
            </Link>
            <SignOut />
          </>
        }
      />
      <div className="flex max-w-3xl flex-col gap-4">
        <Card>
          <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('account.who')}</h2>
          <Facts
            items={[
              { term: t('account.name'), value: displayName === undefined ? none : visibleText(displayName) },
              { term: t('account.email'), value: email === undefined ? none : visibleText(email) },
              { term: t('account.id'), value: <ShortId id={subject} what={t('account.who')} length={30} /> },
              { term: t('account.since'), value: <Since at={createdAt} /> },
            ]}
          />
        </Card>
        <Notifications />
        <Sessions />
        <Consents />
        <ChangePassword email={email ?? ''} />
      </div>
    </>
  );
}
