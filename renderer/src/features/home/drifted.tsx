import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line, Section } from './section.tsx';

/** Capsules with drift that no person has acknowledged. */
export function Drifted({ capsules, hasMore }: { capsules: readonly Capsule[]; hasMore: boolean }) {
  const t = useText();
  if (capsules.length === 0) return null;
  return (
    <Section title={t('home.drift')} {...(!hasMore && { count: capsules.length })}>
      {capsules.map((capsule) => (
        <DriftedLine key={capsule.id} capsule={capsule} />
      ))}
      {hasMore && <Line>{t('home.drift.more')}</Line>}
    </Section>
  );
}

function DriftedLine({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const { id, name, environment, drift } = capsule;
  const { changed = 0, deleted = 0 } = drift?.resources ?? {};
  return (
    <Line
      aside={
        <>
          {changed > 0 && <span>{t('drift.changed', { count: changed })}</span>}
          {deleted > 0 && <span>{t('drift.deleted', { count: deleted })}</span>}
          <CapsuleMarks capsule={capsule} />
          {drift && <Since at={drift.checkedAt} />}
        </>
      }
    >
      <Link to="/capsules/$id/drift" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
        {visibleText(name)}
      </Link>{' '}
      <span className="text-xs text-muted">{environment}</span>
    </Line>
  );
}
