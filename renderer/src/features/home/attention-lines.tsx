import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AttentionItem, AttentionKind } from '#shared/dashboard/attention';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { runTypeText } from '../../components/run-status.ts';
import { awaitsTexts, runErrorText, runTypeTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { FailedLine } from './failed-line.tsx';
import { Line } from './section.tsx';

type Props = { item: AttentionItem };
const nameClass = `${rowLinkClass} break-words`;

function WaitingPlan({ item }: Props) {
  const t = useText();
  const type = runTypeText({ type: item.runType ?? 'plan', rollbackStateVersionId: item.rollbackStateVersionId });
  return (
    <Line
      aside={
        <>
          {item.summary && <ChangeCounts counts={item.summary} />}
          <CapsuleMarks capsule={{ hold: item.hold ?? null }} />
          <StatusBadge statusText={awaitsTexts[item.kind === 'approve' ? 'approve' : 'apply']} />
          <Since at={item.at} />
        </>
      }
    >
      <Link to="/runs/$id" params={{ id: item.id }} data-row className={nameClass}>
        {item.name === undefined ? t(type) : t('home.plan.of', { type: t(type), name: visibleText(item.name) })}
      </Link>{' '}
      <span className="text-xs text-muted">{item.environment}</span>
    </Line>
  );
}

/** A link with the name of a Capsule, then its environment and marks. */
function Named({ item, children }: Props & { children: ReactNode }) {
  return (
    <>
      {children} <span className="text-xs text-muted">{item.environment}</span>{' '}
      <CapsuleMarks capsule={{ hold: item.hold ?? null }} />
    </>
  );
}

const CapsuleName = ({ item }: Props) => (
  <Named item={item}>
    <Link to="/capsules/$id" params={{ id: item.capsuleId ?? item.id }} data-row className={nameClass}>
      {visibleText(item.name ?? '')}
    </Link>
  </Named>
);

function WaitingLateState({ item }: Props) {
  const t = useText();
  const { runId } = item;
  if (runId === undefined) return null;
  return (
    <Line
      aside={
        <>
          <Pill tone="warn">{t('home.lateState')}</Pill>
          <Since at={item.at} />
        </>
      }
    >
      <Named item={item}>
        <Link to="/runs/$id" params={{ id: runId }} data-row className={nameClass}>
          {visibleText(item.name ?? '')}
        </Link>
      </Named>
      <p className="mt-0.5 text-muted">{t('home.lateState.text')}</p>
    </Line>
  );
}

function FailedCapsule({ item }: Props) {
  const t = useText();
  const { errorCode, isBroken = false, runId } = item;
  const type = t(runTypeTexts[item.runType ?? 'apply']);
  return (
    <FailedLine
      label={errorCode === 'apply_interrupted' ? t('run.status.interrupted') : t('home.failed.run', { type })}
      at={item.at}
      text={t(errorCode ? runErrorText(errorCode) : 'home.failed.capsule.text')}
      more={
        isBroken &&
        runId !== undefined && (
          <Link to="/runs/$id" params={{ id: runId }} className="text-accent underline-offset-2 hover:underline">
            {t('next.recover')}
          </Link>
        )
      }
    >
      <CapsuleName item={item} />
    </FailedLine>
  );
}

function FailedCheck({ item }: Props) {
  const t = useText();
  return (
    <FailedLine label={t('home.check')} at={item.at} text={t('home.check.text', { count: item.count ?? 1 })}>
      <Named item={item}>
        <Link to="/capsules/$id/resources" params={{ id: item.id }} data-row className={nameClass}>
          {visibleText(item.name ?? '')}
        </Link>
      </Named>
    </FailedLine>
  );
}

function FailedSource({ item }: Props) {
  const t = useText();
  return (
    <FailedLine label={t('home.failed.source')} at={item.at} text={t('home.failed.source.text')}>
      <Link to="/sources/$id" params={{ id: item.id }} data-row className={nameClass}>
        {visibleText(item.name ?? '')}
      </Link>
    </FailedLine>
  );
}

function ExpiringConnection({ item }: Props) {
  const t = useText();
  const isOver = Date.parse(item.at) <= Date.now();
  return (
    <Line
      aside={
        <>
          <Pill tone={isOver ? 'bad' : 'warn'}>
            {t(isOver ? 'home.connection.expired' : 'home.connection.expires')}
          </Pill>
          <Since at={item.at} />
        </>
      }
    >
      <Link to="/connections/$id" params={{ id: item.id }} data-row className={nameClass}>
        {visibleText(item.name ?? '')}
      </Link>
      <p className="mt-0.5 text-muted">{t('home.connection.text')}</p>
    </Line>
  );
}

function FailedSchedule({ item }: Props) {
  const t = useText();
  const kind = item.isOverdue ? 'overdue' : 'failed';
  return (
    <FailedLine label={t(`home.backup.${kind}`)} at={item.at} text={t(`home.backup.${kind}.text`)}>
      <Link to="/workspace/backups" data-row className={nameClass}>
        {t('home.backup.scheduled')}
      </Link>
    </FailedLine>
  );
}

function StaleCapsule({ item }: Props) {
  return (
    <Line aside={<Since at={item.at} />}>
      <CapsuleName item={item} />
    </Line>
  );
}

/** The row of each kind. */
const lines: Readonly<Record<AttentionKind, (props: Props) => ReactNode>> = {
  approve: WaitingPlan,
  apply: WaitingPlan,
  late_state: WaitingLateState,
  failed: FailedCapsule,
  check: FailedCheck,
  source: FailedSource,
  connection: ExpiringConnection,
  backup: FailedSchedule,
  stale: StaleCapsule,
};

export function AttentionLine({ item }: Props) {
  const KindLine = lines[item.kind];
  return <KindLine item={item} />;
}
