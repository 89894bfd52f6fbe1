import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallPlan } from '#shared/install-plans/contract';
import { isApplyType } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { readRunErrorCode, runErrorText, runTypeTexts } from '../../components/status-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line, Section } from './section.tsx';

type Props = { capsules: readonly Capsule[]; sources: readonly Source[]; installs: readonly InstallPlan[] };

/** Failures that were not fixed since, each with its remedy. */
export function Failed({ capsules, sources, installs }: Props) {
  const t = useText();
  const count = capsules.length + sources.length + installs.length;
  if (count === 0) return null;
  const installText = ({ diagnostic }: InstallPlan): string => {
    const code = readRunErrorCode(diagnostic?.controllerCode);
    if (code) return t(runErrorText(code));
    return t(diagnostic ? (`refusal.${diagnostic.code}` satisfies TextId) : 'home.failed.install.text');
  };
  return (
    <Section title={t('home.failed')} count={count}>
      {capsules.map((capsule) => (
        <FailedCapsule key={capsule.id} capsule={capsule} />
      ))}
      {sources.map(({ id, name, url, updatedAt }) => (
        <FailedLine key={id} label={t('home.failed.source')} at={updatedAt} text={t('home.failed.source.text')}>
          <Link to="/sources/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>{' '}
          <span className="text-xs break-all text-muted">{addressText(url)}</span>
        </FailedLine>
      ))}
      {installs.map((plan) => (
        <FailedLine
          key={plan.id}
          label={t('home.failed.install')}
          at={plan.updatedAt}
          text={installText(plan)}
          detail={plan.diagnostic?.message}
        >
          <Link to="/install-plans/$id" params={{ id: plan.id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(plan.capsule.name)}
          </Link>{' '}
          <span className="text-xs break-all text-muted">{addressText(plan.source.url)}</span>
        </FailedLine>
      ))}
    </Section>
  );
}

type LineProps = {
  label: string;
  at: string;
  text: string;
  detail?: string | undefined;
  /** Action that replaces the link of the row. */
  more?: ReactNode;
  children: ReactNode;
};

function FailedLine(props: LineProps) {
  return (
    <Line
      aside={
        <>
          <Pill tone="bad">{props.label}</Pill>
          <Since at={props.at} />
        </>
      }
    >
      {props.children}
      <p className="mt-0.5 text-muted">{props.text}</p>
      {props.detail !== undefined && (
        <p lang="en" className="text-xs break-words text-muted">
          {visibleText(props.detail)}
        </p>
      )}
      {props.more && <p className="relative z-10 mt-0.5 w-fit">{props.more}</p>}
    </Line>
  );
}

function FailedCapsule({
  capsule: { id, name, environment, status, hold, latestRun, updatedAt },
}: {
  capsule: Capsule;
}) {
  const t = useText();
  const type = t(latestRun ? runTypeTexts[latestRun.type] : 'run.type.apply');
  const isBroken = status === 'error' && latestRun?.status === 'failed' && isApplyType(latestRun.type);
  return (
    <FailedLine
      label={
        latestRun?.errorCode === 'apply_interrupted' ? t('run.status.interrupted') : t('home.failed.run', { type })
      }
      at={latestRun?.finishedAt ?? updatedAt}
      text={t(latestRun?.errorCode ? runErrorText(latestRun.errorCode) : 'home.failed.capsule.text')}
      more={
        isBroken && (
          <Link to="/runs/$id" params={{ id: latestRun.id }} className="text-accent underline-offset-2 hover:underline">
            {t('next.recover')}
          </Link>
        )
      }
    >
      <Link to="/capsules/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
        {visibleText(name)}
      </Link>{' '}
      <span className="text-xs text-muted">{environment}</span> <CapsuleMarks capsule={{ hold }} />
    </FailedLine>
  );
}
