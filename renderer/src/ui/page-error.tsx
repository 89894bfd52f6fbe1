import { ApiError } from '../api/client.ts';
import { useText } from '../i18n/text.ts';
import { ErrorNote } from './error-note.tsx';
import { PageTitle } from './surface.tsx';

type Props = { error: unknown; onAgain: () => void };

/** In place of a page about one thing: that it does not exist, which asking again does not mend, or why it cannot be shown. */
export function PageError({ error, onAgain }: Props) {
  const t = useText();
  if (error instanceof ApiError && error.status === 404)
    return <PageTitle title={t('missing.title')} lead={t('missing.text')} />;
  return (
    <>
      <title>Ground Control</title>
      <ErrorNote error={error} onAgain={onAgain} />
    </>
  );
}
