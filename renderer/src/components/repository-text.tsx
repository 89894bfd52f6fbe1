import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { copyIdOf } from '#shared/sources/copy-address';
import { copyQuery } from '../api/copies.ts';
import { whenKnown } from '../api/when-known.ts';
import { useText } from '../i18n/text.ts';
import { addressText } from '../ui/address.ts';
import { visibleText } from '../ui/visible-text.ts';

/** Address of a repository; an installable copy is shown by its name, which links to it. */
export function RepositoryText({ url }: { url: string }) {
  const t = useText();
  const id = copyIdOf(url);
  const { data: copy } = useQuery(whenKnown(id, copyQuery));
  if (!copy) return addressText(url);
  return (
    <>
      {t('copies.one')}{' '}
      <Link to="/copies/$id" params={{ id: copy.id }} className="text-accent underline">
        {visibleText(copy.name)}
      </Link>
    </>
  );
}
