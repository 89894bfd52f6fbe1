import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { DriftMark } from '#shared/drift/mark';
import { useMay } from '../../../api/role.ts';
import { driftTexts } from '../../../components/status-text.ts';
import { useWho } from '../../../components/who.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Since } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { useCapsule } from '../capsule-context.ts';
import { isLiving } from '../living.ts';
import { AcknowledgeForm } from './acknowledge-form.tsx';

type Props = { capsule: Capsule; drift: DriftMark };

/** Result of the newest check, and the actions that answer it. */
export function DriftAnswer({ capsule, drift }: Props) {
  const t = useText();
  const { status, resources, checkedAt, runId } = drift;
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusBadge statusText={driftTexts[status]} />
        {resources && resources.changed > 0 && <span>{t('drift.changed', { count: resources.changed })}</span>}
        {resources && resources.deleted > 0 && <span>{t('drift.deleted', { count: resources.deleted })}</span>}
        <span className="text-muted">
          {t('drift.checked')} <Since at={checkedAt} />
        </span>
        <Link
          to="/runs/$id"
          params={{ id: runId }}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          {t('drift.run')}
        </Link>
      </p>
      <p className="max-w-prose text-muted">{t(`drift.text.${status}`)}</p>
      <Acknowledged drift={drift} />
      {(status === 'drifted' || status === 'acknowledged') && isLiving(capsule) && (
        <DriftActions key={drift.digest} capsule={capsule} drift={drift} />
      )}
    </div>
  );
}

function Acknowledged({ drift: { acknowledged } }: Pick<Props, 'drift'>) {
  const t = useText();
  const who = useWho();
  if (!acknowledged) return null;
  return (
    <div className="border-l-2 border-line-strong pl-3">
      <p className="break-words">{visibleText(acknowledged.reason)}</p>
      <p className="text-xs text-muted">
        {t('drift.acknowledgedBy', { who: who(acknowledged.by) })} <Since at={acknowledged.at} />
      </p>
    </div>
  );
}

function DriftActions({ capsule, drift }: Props) {
  const t = useText();
  const may = useMay();
  const { again } = useCapsule();
  const [isAcknowledging, setAcknowledging] = useState(false);
  const { digest } = drift;
  if (isAcknowledging && digest !== undefined)
    return <AcknowledgeForm capsuleId={capsule.id} digest={digest} onEnd={() => setAcknowledging(false)} />;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {may('planCapsule') && (
          <Button
            variant={drift.status === 'drifted' ? 'primary' : 'plain'}
            busy={again.isGoing}
            disabled={again.isGoing || !again.isReady || !again.hasSame}
            onClick={() => again.start('same')}
          >
            {t('drift.plan')}
          </Button>
        )}
        {may('acknowledgeDrift') && (
          <Button onClick={() => setAcknowledging(true)}>
            {t(drift.status === 'drifted' ? 'drift.acknowledge' : 'drift.reason.change')}
          </Button>
        )}
      </div>
      {!may('acknowledgeDrift') && <p className="text-xs text-muted">{t('drift.who')}</p>}
    </>
  );
}
