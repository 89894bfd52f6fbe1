import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { findDesktop } from '#shared/desktop';
import { ReturnPath, type SignInError, signInErrors } from '#shared/signin/api';
import { ApiError, api } from '../../api/client.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { keepLink, takeLink } from '../../api/saved-link.ts';
import { isSealed } from '../../api/sealed.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { isLocalServer, ShellCommand } from '../../components/shell-command.tsx';
import { PasswordForm, ProviderButtons, waysQuery } from '../../components/sign-in/ways.tsx';
import { useText } from '../../i18n/text.ts';
import { quietClass } from '../../ui/controls.tsx';
import { Note, Skeleton } from '../../ui/surface.tsx';
import { Locked } from './locked.tsx';
import { useReloadOnNewLink } from './new-link.ts';
import { ResetForm } from './reset-form.tsx';
import { SessionLayout } from './session-layout.tsx';

/** Sign-in page: by password, with a provider, or by a one-time link that the server or the command line prints. */
export function SignInNeeded({ note, failure }: { note?: string; failure?: SignInError | undefined }) {
  const t = useText();
  const ways = useQuery(waysQuery);
  const [hasLink] = useState(() => keepLink(location));
  const [back] = useState(() => backTo(location));
  // The desktop app creates its own links, so its owner sees this page only briefly.
  useEffect(() => enterFromDesktop(back), [back]);
  if (isSealed(ways.error)) {
    const open = () => {
      enterFromDesktop(back);
      void ways.refetch();
    };
    return <Locked error={ways.error} onOpen={open} />;
  }
  const password = ways.data?.password === true;
  const hasProviders = ways.data?.providers.some(({ protocol }) => protocol === 'oidc') === true;
  const isLinkOnly = ways.data !== undefined && !password && !hasProviders;
  return (
    <SessionLayout title={t(isLinkOnly ? 'signin.title' : 'enter.title')}>
      {failure && <Note tone="bad">{t(`enter.error.${failure}`)}</Note>}
      {note && <Note tone="warn">{note}</Note>}
      {hasLink && <Note title={t('signin.link')}>{t('signin.linkText')}</Note>}
      {ways.isPending && <Skeleton />}
      {ways.isError && <ErrorNote error={ways.error} onAgain={() => void ways.refetch()} />}
      {ways.data?.setupRequired && <Note title={t('enter.setup.title')}>{t('enter.setup.text')}</Note>}
      {password && !ways.data?.setupRequired && (
        <PasswordWay canReset={ways.data?.passwordReset === true} onEnter={() => enter(back)} />
      )}
      {ways.data && <ProviderButtons providers={ways.data.providers} back={back} />}
      {isLinkOnly && <LinkWay />}
      {ways.data && !isLinkOnly && (
        <details className="text-sm" open={isLocalServer()}>
          <summary className="cursor-pointer text-muted">{t('enter.link')}</summary>
          <div className="mt-2">
            <LinkWay />
          </div>
        </details>
      )}
    </SessionLayout>
  );
}

type PasswordWayProps = { canReset: boolean; onEnter: () => void };

/** E-mail and password, or a link by mail for a forgotten one. */
function PasswordWay({ canReset, onEnter }: PasswordWayProps) {
  const t = useText();
  const [isForgotten, setForgotten] = useState(false);
  if (isForgotten) return <ResetForm onBack={() => setForgotten(false)} />;
  return (
    <>
      <PasswordForm onEnter={onEnter} />
      {canReset && (
        <button type="button" className={`${quietClass} self-start`} onClick={() => setForgotten(true)}>
          {t('enter.forgotten')}
        </button>
      )}
    </>
  );
}

function LinkWay() {
  const t = useText();
  return (
    <div>
      <p className="text-muted">{t('signin.text')}</p>
      <ShellCommand command="sign-in" />
    </div>
  );
}

/** Signs in by a link of the desktop around this page; does nothing in a browser. */
function enterFromDesktop(back: string): void {
  void findDesktop(window)
    ?.newSignInLink()
    .then((address) => {
      const link = new URL(address);
      if (back !== '/') link.searchParams.set('return', back);
      // While the vault is sealed, the address has no token.
      if (link.hash !== '') location.replace(link);
    });
}

/** Returns the path to open after sign-in: the one that the URL names, else the requested page. */
function backTo({ pathname, search, hash }: Location): string {
  const requestedPath = pathname === '/sign-in' ? new URLSearchParams(search).get('return') : pathname + search + hash;
  return ReturnPath.safeParse(requestedPath).data ?? '/';
}

/** Reloads the whole page, so that no data of another account stays in memory. */
const enter = (back: string): void => location.replace(takeLink() ?? back);

async function signIn(token: string, back: string): Promise<void> {
  await api.linkSession({ body: { token } });
  await queryClient.invalidateQueries({ queryKey: keys.session });
  // A saved link is older than the page that this link names.
  const saved = takeLink();
  location.replace(back === '/' && saved !== undefined ? saved : back);
}

/** Redeems the one-time token of the URL. It is in the fragment, so that no server log contains it. */
export function SignInPage() {
  const t = useText();
  const [failure, setFailure] = useState<unknown>();
  const [signInError] = useState(() =>
    signInErrors.find((one) => one === new URLSearchParams(location.search).get('error')),
  );
  const spend = useRef(() => {});
  useReloadOnNewLink();
  useEffect(() => {
    const token = location.hash.slice(1);
    if (token === '') return setFailure('none');
    const back = backTo(location);
    // Only the token goes: the page to continue to is needed again when the token was spent before.
    const search = back === '/' ? '' : `?${new URLSearchParams({ return: back })}`;
    history.replaceState(null, '', location.pathname + search);
    spend.current = () => void signIn(token, back).catch(setFailure);
    spend.current();
  }, []);
  if (failure === undefined) return <p className="p-8 text-muted">{t('signin.working')}</p>;
  if (failure === 'none') return <SignInNeeded failure={signInError} />;
  if (isSealed(failure)) return <Locked error={failure} onOpen={() => spend.current()} />;
  if (failure instanceof ApiError) return <SignInNeeded note={t('signin.spent')} />;
  return (
    <main className="mx-auto max-w-lg p-8">
      <ErrorNote error={failure} />
    </main>
  );
}
