import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { recoveryKitQuery } from '../../api/installation.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';

/** Offers a recovery kit to the owner of the installation until one was made or the offer was dismissed. */
export function RecoveryKitOffer() {
  const t = useText();
  // A route of the local owner: others are refused, and see no offer.
  const { data } = useQuery({ ...recoveryKitQuery, enabled: useRole() === 'owner', retry: false });
  const dismissing = useIntent(async () => {
    queryClient.setQueryData(keys.recoveryKit, (await api.dismissRecoveryKit({})).body.recoveryKit);
  });
  if (data?.state !== 'none' && data?.state !== 'outdated') return null;
  const isNew = data.state === 'none';
  return (
    <div>
      <Note title={t(isNew ? 'kit.offer' : 'kit.offer.outdated')}>
        <p>{t('kit.what')}</p>
        <p className="mt-1">{t('kit.keep')}</p>
        {dismissing.error !== undefined && <ErrorNote error={dismissing.error} />}
        <div className="mt-3 flex flex-wrap gap-2">
          <Link to="/settings" hash="recovery-kit" className={buttonClass()}>
            {t('kit.create')}
          </Link>
          {isNew && (
            <Button variant="quiet" busy={dismissing.isBusy} onClick={() => void dismissing.run()}>
              {t('kit.dismiss')}
            </Button>
          )}
        </div>
      </Note>
    </div>
  );
}
