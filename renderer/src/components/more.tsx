import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from './error-note.tsx';

type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  isFetchNextPageError: boolean;
  error: unknown;
};

/** Footer of a list with more pages: a button and its error. */
export function More({ pages }: { pages: Pages }) {
  const t = useText();
  if (!pages.hasNextPage) return null;
  return (
    <div className="flex flex-col items-center gap-3 border-t border-line p-3">
      {pages.isFetchNextPageError && <ErrorNote error={pages.error} />}
      <Button variant="quiet" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {t('more')}
      </Button>
    </div>
  );
}
