import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { appsQuery } from '../../api/interfaces.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { AppList } from '../../components/interfaces/app-list.tsx';
import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';

const shownApps = '5';

/** Reads the first apps that the person may open. */
export const useFirstApps = () => useInfiniteQuery(appsQuery(useWorkspaceId(), { limit: shownApps }));

/** The first apps that the person may open. Renders nothing when there are none. */
export function Apps() {
  const t = useText();
  const pages = useFirstApps();
  const apps = pages.data?.pages[0]?.interfaces ?? [];
  if (apps.length === 0) return null;
  return (
    <section aria-label={t('apps.title')}>
      <h2 className="mb-2 flex flex-wrap items-baseline justify-between gap-2 font-semibold">
        {t('apps.title')}
        <Link to="/apps" className="font-normal text-accent hover:underline">
          {t('apps.all')}
        </Link>
      </h2>
      <Card>
        <AppList apps={apps} />
      </Card>
    </section>
  );
}
