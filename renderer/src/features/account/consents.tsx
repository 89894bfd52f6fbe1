import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Consent } from '#shared/identity/api';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { ScopeTexts } from '../../components/app-sign-in.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ignoreGone } from './ignore-gone.ts';

/** Apps that the account has allowed to sign it in. Each can be withdrawn. */
export function Consents() {
  const t = useText();
  const query = useQuery({
    queryKey: keys.consents,
    queryFn: async () => (await api.listConsents({})).body.consents,
  });
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('account.consents')}</h2>
      {query.isPending && <Skeleton />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data?.length === 0 && <p className="p-4 text-muted">{t('account.consents.none')}</p>}
      {query.data !== undefined && query.data.length > 0 && (
        <ul aria-label={t('account.consents')} className="max-h-96 overflow-y-auto">
          {query.data.map((consent) => (
            <ConsentRow key={consent.id} consent={consent} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function ConsentRow({ consent }: { consent: Consent }) {
  const t = useText();
  const { scopes, workspaceId, createdAt } = consent;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <div className="min-w-0">
        <p className="break-words">{visibleText(consent.name)}</p>
        <p className="text-sm text-muted">
          <ScopeTexts scopes={scopes} />
        </p>
        <p className="text-sm text-muted">
          {t('account.consent.since')} <Since at={createdAt} />
          {workspaceId !== undefined && (
            <>
              {' · '}
              {t('account.consent.workspace')} <ShortId id={workspaceId} what={t('account.consent.workspace')} />
            </>
          )}
        </p>
      </div>
      <Withdraw consent={consent} />
    </li>
  );
}

function Withdraw({ consent: { id, name } }: { consent: Consent }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const withdrawing = useIntent(async () => {
    await api.withdrawConsent({ params: { consentId: id } }).catch(ignoreGone);
    setOpen(false);
    await queryClient.invalidateQueries({ queryKey: keys.consents });
  });
  const close = () => {
    withdrawing.reset();
    setOpen(false);
  };
  const shown = visibleText(name);
  return (
    <>
      <Button aria-label={t('account.consent.withdrawNamed', { name: shown })} onClick={() => setOpen(true)}>
        {t('account.consent.withdraw')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('account.consent.withdraw.ask', { name: shown })}
        action={t('account.consent.withdraw')}
        busy={withdrawing.isBusy}
        error={withdrawing.error}
        onConfirm={() => void withdrawing.run()}
      >
        <p>{t('account.consent.withdraw.text')}</p>
      </Confirm>
    </>
  );
}
