import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { outputsQuery } from '../../api/records.ts';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { FavoriteStar } from '../../components/favorite-star.tsx';
import { capsuleStatusText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { webAddress } from '../../ui/address.ts';
import { OuterLink } from '../../ui/json-value.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const shownLinks = 3;

/** Capsules as cards: favorites, or those applied recently. */
export function CapsuleCards({ title, capsules }: { title: string; capsules: readonly Capsule[] }) {
  const t = useText();
  if (capsules.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="mb-2 flex flex-wrap items-baseline justify-between gap-2 font-semibold">
        {title}
        <Link to="/capsules" className="font-normal text-accent hover:underline">
          {t('home.applied.all')}
        </Link>
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {capsules.map((capsule) => (
          <li key={capsule.id} className="min-w-0">
            <CapsuleCard capsule={capsule} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function CapsuleCard({ capsule }: { capsule: Capsule }) {
  const { id, name, environment, updatedAt } = capsule;
  return (
    <Card className="flex h-full flex-col gap-2 p-4">
      <div className="flex items-start justify-between gap-2">
        <p className="min-w-0 break-words">
          <Link to="/capsules/$id" params={{ id }} className="font-medium hover:text-accent">
            {visibleText(name)}
          </Link>{' '}
          <span className="text-xs text-muted">{environment}</span>
        </p>
        <span className="flex flex-wrap items-center justify-end gap-1">
          <StatusBadge statusText={capsuleStatusText(capsule)} />
          <CapsuleMarks capsule={capsule} />
          <FavoriteStar capsule={capsule} />
        </span>
      </div>
      <OutputLinks capsuleId={id} />
      <p className="mt-auto text-xs text-muted">
        <Since at={updatedAt} />
      </p>
    </Card>
  );
}

/** Outputs that are links, or the number of Outputs. */
function OutputLinks({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const { data: output, isPending } = useQuery(outputsQuery(capsuleId));
  if (isPending) return <p>&nbsp;</p>;
  if (!output) return null;
  const values = Object.entries(output.workspaceOutputs);
  const links = values.flatMap(([name, value]) => {
    const href = webAddress(value);
    return href ? [{ name, href }] : [];
  });
  if (links.length === 0) return <p className="text-muted">{t('home.applied.outputs', { count: values.length })}</p>;
  return (
    <ul className="flex flex-col gap-1">
      {links.slice(0, shownLinks).map(({ name, href }) => (
        <li key={name} className="min-w-0">
          <p className="font-mono text-xs break-words text-muted">{visibleText(name)}</p>
          <p className="line-clamp-3">
            <OuterLink href={href} />
          </p>
        </li>
      ))}
    </ul>
  );
}
