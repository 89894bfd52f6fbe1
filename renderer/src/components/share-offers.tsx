import { useQuery } from '@tanstack/react-query';
import { type OutputShare, seenName } from '#shared/output-shares/contract';
import { sharesQuery } from '../api/links.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { ShortId } from '../ui/short-id.tsx';
import { Since } from '../ui/time.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { AcceptShare } from './accept-share.tsx';

/** The Outputs that other Workspaces offer to this one and that wait to be accepted. */
export function useShareOffers(): OutputShare[] {
  const workspaceId = useWorkspaceId();
  const shares = useQuery(sharesQuery(workspaceId)).data ?? [];
  return shares.filter(
    ({ status, toWorkspaceId, fromWorkspaceId }) =>
      status === 'pending' && toWorkspaceId === workspaceId && fromWorkspaceId !== workspaceId,
  );
}

/** Pending offers from other Workspaces. Renders nothing when there are none. */
export function ShareOffers({ className = '' }: { className?: string }) {
  const t = useText();
  const offers = useShareOffers();
  if (offers.length === 0) return null;
  const title = t('shares.offers', { count: offers.length });
  return (
    <section aria-label={title} className={`px-4 py-2.5 ${className}`}>
      <h3 className="text-sm font-semibold">{title}</h3>
      <ul className="divide-y divide-line">
        {offers.map((share) => (
          <li key={share.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-2">
            <div className="min-w-0 text-sm">
              <p className="text-muted">
                {t('links.foreign')} <ShortId id={share.producerCapsuleId} what="Capsule" length={14} /> ·{' '}
                <Since at={share.createdAt} />
              </p>
              <SharedNames share={share} />
            </div>
            <AcceptShare share={share} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The Outputs of a share, by name. */
export function SharedNames({ share }: { share: OutputShare }) {
  const t = useText();
  return (
    <ul className="text-sm">
      {share.outputs.map((output) => (
        <li key={seenName(output)} className="break-words">
          <code className="font-mono break-all">{visibleText(output.name)}</code>
          {output.alias !== undefined && (
            <span className="text-muted"> {t('shares.as', { alias: visibleText(output.alias) })}</span>
          )}
          {output.sensitive && <span className="text-muted"> {t('links.sensitive')}</span>}
        </li>
      ))}
    </ul>
  );
}
