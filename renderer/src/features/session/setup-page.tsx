import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, api } from '../../api/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { EnterForm } from '../../components/sign-in/enter-form.tsx';
import { newcomer, newPasswordProblem, type Problems, type Typed } from '../../components/sign-in/fields.tsx';
import { waysQuery } from '../../components/sign-in/ways.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Note, Skeleton } from '../../ui/surface.tsx';
import { SessionLayout } from './session-layout.tsx';

const fields = [
  { name: 'code', label: 'setup.code', kind: 'text', autoComplete: 'off', help: 'setup.code.help' },
  newcomer.name,
  { name: 'email', label: 'enter.email', kind: 'email', autoComplete: 'username' },
  newcomer.password,
] as const;

const problemsOf = ({ code = '', displayName = '', email = '', password = '' }: Typed): Problems => ({
  code: code.trim() === '' ? 'setup.code.missing' : undefined,
  displayName: displayName.trim() === '' ? 'enter.nameMissing' : undefined,
  email: email.includes('@') ? undefined : 'enter.emailMissing',
  password: newPasswordProblem(password, email),
});

/** Creates the owner account of a new server. The setup code came with the link of the console. */
export function SetupPage() {
  const t = useText();
  const ways = useQuery(waysQuery);
  return (
    <SessionLayout title={t('setup.title')} lead={t('setup.lead')}>
      {ways.isPending && <Skeleton />}
      {ways.isError && <ErrorNote error={ways.error} onAgain={() => void ways.refetch()} />}
      {ways.data && !ways.data.setupRequired && <NothingToSetUp isOff={!ways.data.password} />}
      {ways.data?.setupRequired && <SetupForm onDone={() => void ways.refetch()} />}
    </SessionLayout>
  );
}

function SetupForm({ onDone }: { onDone: () => void }) {
  const [code] = useState(() => location.hash.slice(1));
  // The code is removed from the URL at once, so that no history stores it.
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const setUp = async ({ code = '', displayName = '', email = '', password = '' }: Typed) => {
    try {
      await api.setUp({ body: { code, displayName: displayName.trim(), email, password } });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') onDone();
      throw error;
    }
    location.replace('/');
  };
  return (
    <EnterForm
      fields={fields}
      first={{ code }}
      problemsOf={problemsOf}
      send={setUp}
      texts={{ wrong: 'setup.wrong', action: 'setup.do' }}
    />
  );
}

function NothingToSetUp({ isOff }: { isOff: boolean }) {
  const t = useText();
  return (
    <>
      <Note title={t(isOff ? 'setup.off.title' : 'setup.done.title')}>
        {t(isOff ? 'setup.off.text' : 'setup.done.text')}
      </Note>
      <Link to="/sign-in" className={buttonClass('primary')}>
        {t('enter.title')}
      </Link>
    </>
  );
}
