import { useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { isAwaited } from '../../api/awaited.ts';
import { sharesQuery } from '../../api/links.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { ShareOffers, useShareOffers } from '../../components/share-offers.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { CapsuleCards } from './applied.tsx';
import { Apps, useFirstApps } from './apps.tsx';
import { AttentionSection, ItemsOfKind } from './attention-section.tsx';
import { useDashboardSummary } from './dashboard-summary.ts';
import { Drifted } from './drifted.tsx';
import { FailedInstall, LeftInstall } from './installs.tsx';
import { LastBackup } from './last-backup.tsx';
import { PasteField } from './paste-field.tsx';
import { RecoveryKitOffer } from './recovery-kit-offer.tsx';
import { Requested } from './requested.tsx';
import { Running } from './running.tsx';
import { Sample } from './sample.tsx';
import { Updates } from './updates.tsx';

/** Home page: what waits for the user, what runs, what failed and which Outputs exist. */
export function HomePage() {
  const t = useText();
  const { summary, error, again } = useDashboardSummary();
  const offers = useShareOffers();
  // Both have their place in the middle of the page.
  const shares = useQuery(sharesQuery(useWorkspaceId()));
  const apps = useFirstApps();
  if (error) return <ErrorNote error={error} {...(again && { onAgain: again })} />;
  if (!summary || isAwaited(shares) || isAwaited(apps)) return <Skeleton lines={6} />;
  const { attention, requested, left, running, failedInstalls, drifted, hasMoreDrift, favorites, applied } = summary;
  const counts = [...attention.counts.values()];
  const isQuiet =
    [offers, requested, left, running, failedInstalls, drifted].every((list) => list.length === 0) &&
    counts.every((count) => count === 0);
  if (isQuiet && summary.isFirstTime) return <FirstTime />;
  return (
    <>
      <Title />
      <Allowed to="createInstallPlan">
        <div className="mb-6">
          <PasteField isFirst={false} />
        </div>
      </Allowed>
      <div className="flex flex-col gap-6">
        <Requested runs={requested} />
        <AttentionSection
          title={t('home.waiting')}
          kinds={['approve', 'apply']}
          attention={attention}
          more={left.map((plan) => <LeftInstall key={plan.id} plan={plan} />)}
        />
        <ShareOffers className="rounded-lg border border-accent/40 bg-accent-soft" />
        <Running runs={running} />
        <AttentionSection
          title={t('home.failed')}
          kinds={['late_state', 'failed', 'check', 'source', 'connection', 'backup']}
          attention={attention}
          more={failedInstalls.map((plan) => <FailedInstall key={plan.id} plan={plan} />)}
        />
        <Drifted capsules={drifted} hasMore={hasMoreDrift} />
        <Updates count={attention.counts.get('stale') ?? 0}>
          <ItemsOfKind kind="stale" attention={attention} />
        </Updates>
        <Apps />
        <CapsuleCards title={t('favorites.title')} capsules={favorites} />
        <CapsuleCards title={t('home.applied')} capsules={applied.filter(({ id }) => !isOneOf(favorites, id))} />
        {isQuiet && <Quiet hasApplied={applied.length > 0} />}
        {applied.length > 0 && <LastBackup />}
        <RecoveryKitOffer />
      </div>
    </>
  );
}

const isOneOf = (capsules: readonly Capsule[], id: string): boolean => capsules.some((one) => one.id === id);

function Title() {
  const t = useText();
  return <PageTitle title={t('nav.home')} />;
}

function Quiet({ hasApplied }: { hasApplied: boolean }) {
  const t = useText();
  return <p className="text-muted">{t(hasApplied ? 'home.quiet' : 'home.quiet.nothing')}</p>;
}

function FirstTime() {
  const t = useText();
  return (
    <div className="mx-auto max-w-2xl pt-[8vh]">
      <PageTitle title={t('home.first.title')} lead={<p className="max-w-xl">{t('home.first.lead')}</p>} />
      <Card className="p-5">
        <PasteField isFirst />
        <Sample />
      </Card>
      <ol className="mt-6 grid gap-4 text-muted sm:grid-cols-3">
        {(['look', 'plan', 'apply'] as const).map((step, index) => (
          <li key={step} className="flex gap-2.5">
            <span aria-hidden="true" className="font-semibold text-accent">
              {index + 1}
            </span>
            <span>{t(`home.first.${step}`)}</span>
          </li>
        ))}
      </ol>
      <div className="mt-8">
        <RecoveryKitOffer />
      </div>
    </div>
  );
}
