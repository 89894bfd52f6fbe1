import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pauseQuery } from '../api/installation.ts';
import { useText } from '../i18n/text.ts';
import { Note } from '../ui/surface.tsx';
import { dateTimeText } from '../ui/time.tsx';

/** Shows everyone that a restored installation is paused. */
export function PauseBanner() {
  const t = useText();
  const { data } = useQuery(pauseQuery);
  if (!data) return null;
  return (
    <div className="mb-4">
      <Note tone="warn" title={t('pause.banner', { at: dateTimeText(data.backupCreatedAt) })}>
        <p>{t('pause.banner.text')}</p>
        <Link to="/installation" className="mt-1 inline-block font-medium text-accent hover:underline">
          {t('pause.banner.more')}
        </Link>
      </Note>
    </div>
  );
}
