import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { ShareOffers, useShareOffers } from '../../components/share-offers.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { AppliedCapsules } from './applied.tsx';
import { useDashboardSummary } from './dashboard-summary.ts';
import { Drifted } from './drifted.tsx';
import { Failed } from './failed.tsx';
import { needsAttention } from './needs-attention.ts';
import { PasteField } from './paste-field.tsx';
import { Requested } from './requested.tsx';
import { Running } from './running.tsx';
import { Updates } from './updates.tsx';
import { Waiting } from './waiting.tsx';

/** Home page: what waits for the user, what runs, what failed and which Outputs exist. */
export function HomePage() {
  const { summary, error, again } = useDashboardSummary();
  const offers = useShareOffers();
  if (error) return <ErrorNote error={error} {...(again && { onAgain: again })} />;
  if (!summary) return <Skeleton lines={6} />;
  if (summary.isFirstTime) return <FirstTime />;
  const isQuiet = !needsAttention(summary, offers.length);
  return (
    <>
      <Title />
      <Allowed to="createInstallPlan">
        <div className="mb-6">
          <PasteField isFirst={false} />
        </div>
      </Allowed>
      <div className="flex flex-col gap-6">
        <Requested runs={summary.requested} />
        <Waiting runs={summary.waiting} installs={summary.left} holds={summary.holds} />
        <Updates count={summary.staleCount} />
        <ShareOffers className="rounded-lg border border-accent/40 bg-accent-soft" />
        <Running runs={summary.running} />
        <Failed capsules={summary.failedCapsules} sources={summary.failedSources} installs={summary.failedInstalls} />
        <Drifted capsules={summary.drifted} hasMore={summary.hasMoreDrift} />
        <AppliedCapsules capsules={summary.applied} />
        {isQuiet && <Quiet hasApplied={summary.applied.length > 0} />}
      </div>
    </>
  );
}

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
    </div>
  );
}
