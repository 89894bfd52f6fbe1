import { useEffect, useRef, useState } from 'react';
import { findDesktop } from '#shared/desktop';
import { ApiError, api } from '../../api/client.ts';
import { keepLink, reviewOf, takeLink } from '../../api/kept-link.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { isSealed } from '../../api/sealed.ts';
import { useText } from '../../i18n/text.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Note } from '../../ui/surface.tsx';
import { Locked } from './locked.tsx';

/** Nobody is signed in: the way in is a one-time link, printed by the server or the command line. */
export function SignInNeeded({ note }: { note?: string }) {
  const t = useText();
  const [hasLink] = useState(() => keepLink(location));
  // The desktop makes its own links, so its owner never meets this page for long.
  useEffect(() => {
    void findDesktop(window)
      ?.newSignInLink()
      .then((link) => location.replace(link));
  }, []);
  return (
    <main className="mx-auto mt-[18vh] max-w-lg px-6">
      <title>{`${t('signin.title')} · Ground Control`}</title>
      <h1 className="mb-3 text-xl font-semibold">{t('signin.title')}</h1>
      {note && (
        <div className="mb-3">
          <Note tone="warn">{note}</Note>
        </div>
      )}
      {hasLink && (
        <div className="mb-3">
          <Note title={t('signin.link')}>{t('signin.linkText')}</Note>
        </div>
      )}
      <p className="text-muted">{t('signin.text')}</p>
      <pre className="mt-3 overflow-x-auto rounded-md border border-line bg-raised p-3 font-mono text-sm">
        npm run groundctl -- sign-in --data-dir DIR
      </pre>
    </main>
  );
}

async function signIn(token: string, link: string | null): Promise<void> {
  await api.linkSession({ body: { token } });
  await queryClient.invalidateQueries({ queryKey: keys.session });
  location.replace(reviewOf(link) ?? takeLink() ?? '/');
}

/** Spends the one-time token of the address; it stands in the fragment, so no server log ever holds it. */
export function SignInPage() {
  const t = useText();
  const [failure, setFailure] = useState<unknown>();
  const spend = useRef(() => {});
  useEffect(() => {
    const token = location.hash.slice(1);
    const link = new URLSearchParams(location.search).get('link');
    history.replaceState(null, '', location.pathname);
    if (token === '') return setFailure('none');
    spend.current = () => void signIn(token, link).catch(setFailure);
    spend.current();
  }, []);
  if (failure === undefined) return <p className="p-8 text-muted">{t('signin.working')}</p>;
  if (failure === 'none') return <SignInNeeded />;
  if (isSealed(failure)) return <Locked error={failure} onOpen={() => spend.current()} />;
  if (failure instanceof ApiError) return <SignInNeeded note={t('signin.spent')} />;
  return (
    <main className="mx-auto max-w-lg p-8">
      <ErrorNote error={failure} />
    </main>
  );
}
