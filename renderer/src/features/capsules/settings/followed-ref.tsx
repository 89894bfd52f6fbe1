import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { useText } from '../../../i18n/text.ts';
import { Lane } from '../../../ui/lane.tsx';

/** The ref and folder that a Capsule follows, with a link to where they are changed. */
export function FollowedRef({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const { adoptedSourceRevision: adopted, id } = capsule;
  if (!adopted) return <span className="text-muted">{t('capsule.commit.none')}</span>;
  return (
    <>
      <Lane of={adopted} />
      <p className="text-xs text-muted">
        {t('capsule.followed.text')}{' '}
        <Link to="/capsules/$id/configuration" params={{ id }} className="text-accent underline underline-offset-2">
          {t('capsule.followed.change')}
        </Link>
      </p>
    </>
  );
}
