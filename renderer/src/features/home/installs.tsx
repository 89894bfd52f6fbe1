import { Link } from '@tanstack/react-router';
import type { InstallPlan } from '#shared/install-plans/contract';
import { readRunErrorCode, runErrorText } from '../../components/status-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { FailedLine } from './failed-line.tsx';
import { Line } from './section.tsx';

/** An installation that continues when its page is opened. */
export function LeftInstall({ plan }: { plan: InstallPlan }) {
  const t = useText();
  return (
    <Line
      aside={
        <>
          <Pill tone="accent">{t('home.install.open')}</Pill>
          <Since at={plan.updatedAt} />
        </>
      }
    >
      <Link to="/install-plans/$id" params={{ id: plan.id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.install.of', { name: visibleText(plan.capsule.name) })}
      </Link>
      <p className="text-xs break-all text-muted">{addressText(plan.source.url)}</p>
    </Line>
  );
}

export function FailedInstall({ plan }: { plan: InstallPlan }) {
  const t = useText();
  const { diagnostic } = plan;
  const code = readRunErrorCode(diagnostic?.controllerCode);
  const text = t(
    code
      ? runErrorText(code)
      : diagnostic
        ? (`refusal.${diagnostic.code}` satisfies TextId)
        : 'home.failed.install.text',
  );
  return (
    <FailedLine label={t('home.failed.install')} at={plan.updatedAt} text={text} detail={diagnostic?.message}>
      <Link to="/install-plans/$id" params={{ id: plan.id }} data-row className={`${rowLinkClass} break-words`}>
        {visibleText(plan.capsule.name)}
      </Link>{' '}
      <span className="text-xs break-all text-muted">{addressText(plan.source.url)}</span>
    </FailedLine>
  );
}
