import type { ReactNode } from 'react';
import { RepositoryText } from '../../components/repository-text.tsx';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { Address, Reading } from './address.ts';

type Props = { reading: Reading; address: Address; children: ReactNode };

/** Repository, ref and path parsed from the typed address. */
export function AddressPreview({ reading, address, children }: Props) {
  const t = useText();
  const isReadable = reading.kind === 'readable';
  return (
    <div className="mt-3 rounded-md bg-raised px-3 py-2.5">
      <dl aria-label={t('install.understood')} className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <AddressParts address={address} />
      </dl>
      {isReadable && reading.wasSsh && <p className="mt-1.5 text-sm text-warn">{t('install.wasSsh')}</p>}
      {isReadable && reading.hadCredentials && (
        <p className="mt-1.5 text-sm text-warn">{t('install.hadCredentials')}</p>
      )}
      {children}
    </div>
  );
}

/** Repository, ref and path of an address; `refText` replaces the ref when something else selects the commit. */
export function AddressParts({ address, refText }: { address: Address; refText?: string }) {
  const t = useText();
  return (
    <>
      <Part name={t('install.repository')}>
        <RepositoryText url={address.url} />
      </Part>
      <Part name={t('install.refShort')}>
        {refText ?? (address.ref === 'HEAD' ? t('lane.defaultBranch') : visibleText(address.ref))}
      </Part>
      <Part name={t('install.path')}>{address.path === '.' ? t('lane.top') : visibleText(address.path)}</Part>
    </>
  );
}

export const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 max-w-full items-center gap-1.5">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 break-all">{children}</dd>
  </div>
);
