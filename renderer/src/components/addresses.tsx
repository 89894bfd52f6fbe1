import type { AddressList } from '#shared/restores/contract';
import { useText } from '../i18n/text.ts';
import { PathList } from '../ui/path-list.tsx';

/** Addresses of resources that differ between two states, and the number of those that are left out. */
export function Addresses({ list: { total, addresses } }: { list: AddressList }) {
  const t = useText();
  const rest = total - addresses.length;
  return (
    <>
      <PathList paths={addresses} />
      {rest > 0 && <p className="text-muted">{t('restore.more', { count: rest })}</p>}
    </>
  );
}
