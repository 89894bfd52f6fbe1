import type { CheckResult, Projection } from '#shared/state-resources/contract';
import { useText } from '../../../i18n/text.ts';
import { Pill, type Tone } from '../../../ui/pill.tsx';
import { Card, Note } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** Says why no values are shown, or that they are still being read. */
export function ProjectionNote({ projection: { status, reason } }: { projection: Projection }) {
  const t = useText();
  if (status === 'ready') return null;
  if (status === 'pending') return <Note>{t('resources.pending')}</Note>;
  return (
    <Note tone="warn" title={t('resources.addressesOnly')}>
      {t(reason === 'unreadable' ? 'resources.reason.unreadable' : 'resources.reason.earlier_version')}
    </Note>
  );
}

const tones: Readonly<Record<CheckResult['status'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  error: 'bad',
  unknown: 'neutral',
};

/** Results of the conditions of the configuration, failed ones first. */
export function Checks({ checks }: { checks: readonly CheckResult[] }) {
  const t = useText();
  if (checks.length === 0) return null;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('resources.checks')}</h2>
      <ul className="max-h-72 divide-y divide-line overflow-auto">
        {checks.map(({ kind, address, status, messages }) => (
          <li key={`${kind} ${address}`} className="px-4 py-2 text-sm">
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-[0.93em] break-all">{visibleText(address)}</code>
              <Pill tone={tones[status]}>{t(`resources.check.${status}`)}</Pill>
            </span>
            {messages.map((message) => (
              <p key={message} className="break-words whitespace-pre-wrap text-muted">
                {visibleText(message)}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Card>
  );
}
