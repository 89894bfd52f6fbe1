import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { OutputShare } from '#shared/output-shares/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { sharesQuery } from '../../../api/links.ts';
import { useMay } from '../../../api/role.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SharedNames, ShareOffers } from '../../../components/share-offers.tsx';
import { shareStatusTexts } from '../../../components/status-text.ts';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { OfferOutputs } from './offer.tsx';
import { RevokeShare } from './revoke-share.tsx';

type Props = { capsule: Capsule; report: CompatibilityReport | undefined };

/** Number of revoked shares shown at first, the newest ones. */
const shownRevoked = 3;

/** Output shares of a Capsule: offers to other Workspaces and their status. */
export function OutputShares({ capsule, report }: Props) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const query = useQuery(sharesQuery(workspaceId));
  const [isOffering, setOffering] = useState(false);
  const [isAll, setAll] = useState(false);
  const shares = (query.data ?? []).filter(({ producerCapsuleId }) => producerCapsuleId === capsule.id).reverse();
  const shown = isAll ? shares : shares.filter((share, at) => share.status !== 'revoked' || at < shownRevoked);
  const may = useMay();
  const canOffer = capsule.status !== 'destroyed' && capsule.currentStateVersionId !== undefined;
  return (
    <Card>
      <h2 className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('shares.title')}
        {canOffer && !isOffering && may('createShare') && (
          <button type="button" className={quietClass} onClick={() => setOffering(true)}>
            {t('shares.offer')}
          </button>
        )}
      </h2>
      {query.isPending && <Skeleton lines={2} />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      <ShareOffers className="border-b border-line bg-accent-soft" />
      {isOffering && (
        <div className={shares.length > 0 ? 'border-b border-line p-4' : 'p-4'}>
          <OfferOutputs capsule={capsule} report={report} onDone={() => setOffering(false)} />
        </div>
      )}
      {query.data && shares.length === 0 && !isOffering && (
        <p className="px-4 py-4 text-muted">{t(canOffer ? 'shares.none' : 'shares.none.yet')}</p>
      )}
      {shown.length > 0 && (
        <ul aria-label={t('shares.title')} className="divide-y divide-line">
          {shown.map((share) => (
            <li key={share.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-2.5">
              <ShareSummary share={share} />
              {share.status !== 'revoked' && may('revokeShare') && <RevokeShare share={share} />}
            </li>
          ))}
        </ul>
      )}
      {shares.length > shown.length && (
        <div className="border-t border-line px-4 py-2">
          <button type="button" className={quietClass} onClick={() => setAll(true)}>
            {t('shares.more', { count: shares.length - shown.length })}
          </button>
        </div>
      )}
      <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
        {t('shares.own')} <ShortId id={workspaceId} what={t('shares.workspace')} length={30} />
      </p>
    </Card>
  );
}

function ShareSummary({ share }: { share: OutputShare }) {
  const t = useText();
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="text-muted">{t('shares.to')}</span>
        <ShortId id={share.toWorkspaceId} what={t('shares.workspace')} length={14} />
        <StatusBadge statusText={shareStatusTexts[share.status]} />
        <span className="text-xs text-muted">
          <Since at={share.revokedAt ?? share.acceptedAt ?? share.createdAt} />
        </span>
      </p>
      <SharedNames share={share} />
    </div>
  );
}
