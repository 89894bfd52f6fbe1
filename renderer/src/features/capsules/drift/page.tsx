import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import type { DriftMark } from '#shared/drift/mark';
import { workspaceQuery } from '../../../api/records.ts';
import { scheduleText } from '../../../components/drift-schedule.tsx';
import type { PlanAddress } from '../../../components/plan/plan-address.ts';
import { useText } from '../../../i18n/text.ts';
import { Card, EmptyState } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';
import { DriftAnswer } from './answer.tsx';
import { Differences } from './differences.tsx';

/** Result of the newest drift check of a Capsule, with every difference and what can be done about it. */
export function DriftPage({ address }: { address: PlanAddress }) {
  const t = useText();
  const { capsule } = useCapsule();
  const { drift } = capsule;
  return (
    <div className="flex flex-col gap-3">
      <Card>
        <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('capsule.tab.drift')}</h2>
        {drift ? <DriftAnswer capsule={capsule} drift={drift} /> : <NeverChecked capsule={capsule} />}
        <p className="border-t border-line px-4 py-2.5 text-sm text-muted">
          <Schedule capsule={capsule} />
        </p>
      </Card>
      {drift && hasDifferences(drift) && <Differences key={drift.runId} runId={drift.runId} address={address} />}
    </div>
  );
}

const hasDifferences = ({ status }: DriftMark): boolean => status === 'drifted' || status === 'acknowledged';

function NeverChecked({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const isApplied = capsule.currentStateVersionId !== undefined && capsule.status !== 'destroyed';
  return (
    <EmptyState title={t('drift.never.title')} text={t(isApplied ? 'drift.never.text' : 'drift.never.unapplied')} />
  );
}

function Schedule({ capsule: { id, driftSchedule, workspaceId } }: { capsule: Capsule }) {
  const t = useText();
  const workspace = useQuery(workspaceQuery(workspaceId)).data;
  const schedule = driftSchedule === 'inherit' ? workspace?.driftSchedule : driftSchedule;
  return (
    <>
      {schedule !== undefined && t('drift.schedule.now', { schedule: scheduleText(t, schedule) })}{' '}
      <Link
        to="/capsules/$id/settings"
        params={{ id }}
        className="font-medium text-accent underline-offset-2 hover:underline"
      >
        {t('drift.schedule.show')}
      </Link>
    </>
  );
}
