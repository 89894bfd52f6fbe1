import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageOfQuery } from '../../../api/groups.ts';
import { useText } from '../../../i18n/text.ts';

/** Number of counted Runs of a Capsule. The usage page of the Workspace has the minutes. */
export function CapsuleUsage({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const usage = useQuery(usageOfQuery(capsuleId));
  const count = usage.data?.eventCount ?? 0;
  // A Capsule without a counted Run is rare.
  if (usage.isPending) return <p className="min-h-4" />;
  if (count === 0) return null;
  return (
    <p className="px-4 text-xs text-muted">
      {t('usage.summary.events', { count })} ·{' '}
      <Link to="/usage" className="text-accent underline underline-offset-2">
        {t('usage.title')}
      </Link>
    </p>
  );
}
