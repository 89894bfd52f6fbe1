import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capsuleNamesQuery } from '../../../api/links.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { useText } from '../../../i18n/text.ts';
import { ShortId } from '../../../ui/short-id.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** A Capsule of this Workspace by its name; one of another Workspace by its id, because only the id is known. */
export function CapsuleName({ id, isForeign }: { id: string; isForeign: boolean }) {
  const t = useText();
  const names = useQuery({ ...capsuleNamesQuery(useWorkspaceId()), enabled: !isForeign });
  const capsule = names.data?.find(({ capsuleId }) => capsuleId === id);
  if (isForeign)
    return (
      <span className="text-muted">
        {t('links.foreign')} <ShortId id={id} what="Capsule" length={14} />
      </span>
    );
  return (
    <>
      <Link to="/capsules/$id" params={{ id }} className="font-medium break-words text-accent hover:underline">
        {capsule ? visibleText(capsule.name) : <code className="font-mono text-[0.93em]">{id.slice(0, 14)}</code>}
      </Link>
      {names.isSuccess && !capsule && <span className="text-bad"> {t('links.gone')}</span>}
    </>
  );
}
