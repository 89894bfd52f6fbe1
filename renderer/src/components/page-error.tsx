import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { useText } from '../i18n/text.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { DocumentTitle } from '../ui/document-title.tsx';
import { Card, EmptyState, PageTitle } from '../ui/surface.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = { error: unknown; onAgain: () => void };

/** Reports whether the record of a page does not exist. An invalid id is refused as a bad request before any lookup. */
export const isMissingRecord = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || (error.status === 400 && error.code === 'invalid_request'));

/**
 * Replaces the page of a record: either the record does not exist, in which case a retry does not help, or it cannot be
 * shown.
 */
export function PageError({ error, onAgain }: Props) {
  if (isMissingRecord(error)) return <NothingHere />;
  return (
    <>
      <DocumentTitle />
      <ErrorNote error={error} onAgain={onAgain} />
    </>
  );
}

/** Not-found page with a link to the home page. */
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

/** Replaces a list whose URL has a filter with a value that does not exist. */
export function UnknownFilter({
  to,
}: {
  to: '/capsules' | '/apps' | '/form-resources' | '/runs' | '/activity' | '/sources' | '/workspace/webhooks';
}) {
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

/** Replaces the list on a tab of a record, for the same reason. */
export function UnknownTabFilter({ onClear }: { onClear: () => void }) {
  const t = useText();
  return (
    <Card>
      <EmptyState
        title={t('missing.filter.title')}
        text={t('missing.filter.text')}
        action={<Button onClick={onClear}>{t('missing.filter.clear')}</Button>}
      />
    </Card>
  );
}
