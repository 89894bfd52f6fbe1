import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';
import { PageTitle } from '../ui/surface.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = { error: unknown; onAgain: () => void };

/** Whether the record of a page does not exist: an id that is none is refused as a request before anything is looked up. */
export const isMissingRecord = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || (error.status === 400 && error.code === 'invalid_request'));

/** In place of a page about one thing: that it does not exist, which asking again does not mend, or why it cannot be shown. */
export function PageError({ error, onAgain }: Props) {
  if (isMissingRecord(error)) return <NothingHere />;
  return (
    <>
      <title>Ground Control</title>
      <ErrorNote error={error} onAgain={onAgain} />
    </>
  );
}

/** That an address leads to nothing, and the way home. */
export function NothingHere() {
  const t = useText();
  return (
    <>
      <PageTitle title={t('missing.title')} lead={t('missing.text')} />
      <Link to="/" className={buttonClass()}>
        {t('nav.home')}
      </Link>
    </>
  );
}

/** In place of a list whose address has a filter with a value that does not exist. */
export function UnknownFilter({ to }: { to: '/capsules' | '/runs' | '/activity' | '/sources' }) {
  const t = useText();
  return (
    <>
      <PageTitle title={t('missing.filter.title')} lead={t('missing.filter.text')} />
      <Link to={to} search={{}} className={buttonClass()}>
        {t('missing.filter.clear')}
      </Link>
    </>
  );
}
