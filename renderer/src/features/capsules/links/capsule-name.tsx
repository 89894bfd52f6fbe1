import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allCapsulesQuery } from '../../../api/links.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { useText } from '../../../i18n/text.ts';
import { ShortId } from '../../../ui/short-id.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** A Capsule of this Workspace by its name; one of another Workspace by its id, because nothing else is told of it. */
export function CapsuleName({ id }: { id: string }) {
  const t = useText();
  const all = useQuery(allCapsulesQuery(useWorkspaceId()));
  const capsule = all.data?.find((one) => one.id === id);
  if (!capsule)
    return (
      <span className="text-muted">
        {all.isSuccess && t('links.foreign')} <ShortId id={id} what="Capsule" length={14} />
      </span>
    );
  return (
    <>
      <Link to="/capsules/$id" params={{ id }} className="font-medium break-words text-accent hover:underline">
        {visibleText(capsule.name)}
      </Link>
      {capsule.status === 'destroyed' && <span className="text-bad"> {t('links.gone')}</span>}
    </>
  );
}
