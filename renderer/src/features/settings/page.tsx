import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { VaultStatus } from '#shared/keys/contract';
import { ApiError } from '../../api/client.ts';
import { useRole } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card, EmptyState, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { ChangeKey } from './change-key.tsx';
import { KeyLocation } from './key-location.tsx';
import { Rotation } from './rotation.tsx';
import { ServerCard } from './server-card.tsx';
import { vaultQuery } from './vault.ts';

/** Vault settings, for the owner of this installation. */
export function SettingsPage() {
  const t = useText();
  // A route of the local owner: no one else is signed in as the owner of this installation.
  const mayOwn = useRole() === 'owner';
  const query = useQuery({ ...vaultQuery, enabled: mayOwn });
  return (
    <>
      <PageTitle
        title={t('nav.settings')}
        lead={t('vault.lead')}
        actions={
          <>
            <Link to="/workspace" className={buttonClass()}>
              {t('workspaces.settings')}
            </Link>
            <Link to="/tokens" className={buttonClass()}>
              {t('tokens.link')}
            </Link>
          </>
        }
      />
      {query.isLoading && <Skeleton lines={6} />}
      {!mayOwn && <NotOwner />}
      {query.isLoadingError &&
        (query.error instanceof ApiError && query.error.code === 'forbidden' ? (
          <NotOwner />
        ) : (
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        ))}
      {query.data && <Vault vault={query.data} />}
      {!query.isLoading && (
        <div className="mt-4 max-w-3xl">
          <ServerCard />
        </div>
      )}
    </>
  );
}

function NotOwner() {
  const t = useText();
  return (
    <Card>
      <EmptyState title={t('vault.forbidden.title')} text={t('vault.forbidden.text')} />
    </Card>
  );
}

function Vault({ vault }: { vault: VaultStatus }) {
  const t = useText();
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      {vault.keychainMissed && (
        <Note tone="warn" title={t('vault.missed.title')}>
          <p>{t(`seal.why.${vault.keychainMissed}`)}</p>
          <p className="mt-1">{t('vault.missed.text')}</p>
        </Note>
      )}
      <KeyLocation vault={vault} />
      <ChangeKey vault={vault} />
      <Rotation vault={vault} />
    </div>
  );
}
