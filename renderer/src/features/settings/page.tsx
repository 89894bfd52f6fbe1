import { useQuery } from '@tanstack/react-query';
import type { VaultStatus } from '#shared/keys/contract';
import { ApiError } from '../../api/client.ts';
import { useRole } from '../../api/role.ts';
import { vaultQuery } from '../../api/vault.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, EmptyState, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Appearance, Keyboard } from './appearance.tsx';
import { ChangeKey } from './change-key.tsx';
import { KeyLocation } from './key-location.tsx';
import { MoreSettings } from './more-settings.tsx';
import { RecoveryKit } from './recovery-kit.tsx';
import { Rotation } from './rotation.tsx';
import { ServerCard } from './server-card.tsx';

/** Settings: those of this browser, links to those of the Workspace and the account, and the installation. */
export function SettingsPage() {
  const t = useText();
  return (
    <>
      <PageTitle title={t('nav.settings')} lead={t('settings.lead')} />
      <div className="flex max-w-3xl flex-col gap-4">
        <Appearance />
        <Keyboard />
        <MoreSettings />
        <h2 className="mt-4 text-base font-semibold">{t('settings.installation')}</h2>
        <ServerCard />
        <VaultSettings />
      </div>
    </>
  );
}

/** Settings of the key, for the owner of this installation. */
function VaultSettings() {
  // A route of the local owner: no one else is signed in as the owner of this installation.
  const mayOwn = useRole() === 'owner';
  const query = useQuery({ ...vaultQuery, enabled: mayOwn });
  const isRefused = query.error instanceof ApiError && query.error.code === 'forbidden';
  if (!mayOwn || isRefused) return <NotOwner />;
  if (query.isLoading) return <Skeleton lines={6} />;
  if (query.data) return <Vault vault={query.data} />;
  return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
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
    <div className="flex flex-col gap-4">
      {vault.keychainMissed && (
        <Note tone="warn" title={t('vault.missed.title')}>
          <p>{t(`seal.why.${vault.keychainMissed}`)}</p>
          <p className="mt-1">{t('vault.missed.text')}</p>
        </Note>
      )}
      <KeyLocation vault={vault} />
      <RecoveryKit />
      <ChangeKey vault={vault} />
      <Rotation vault={vault} />
    </div>
  );
}
