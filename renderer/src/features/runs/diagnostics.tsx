import { CircleX, Info, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '#shared/runs/contract';
import type { FeedDiagnostic } from '#shared/runs/feed';
import { type TextId, useText } from '../../i18n/text.ts';
import { AnsiText } from '../../ui/ansi-text.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { visibleLine, visibleText } from '../../ui/visible-text.ts';
import { DiagnosticCode } from './diagnostic-code.tsx';

type Severity = FeedDiagnostic['severity'];

const severityStyles: Record<Severity, { icon: typeof Info; text: TextId; tone: string; edge: string }> = {
  error: { icon: CircleX, text: 'run.diagnostic.error', tone: 'text-bad', edge: 'border-l-bad' },
  warning: { icon: TriangleAlert, text: 'run.diagnostic.warning', tone: 'text-warn', edge: 'border-l-warn' },
  info: { icon: Info, text: 'run.diagnostic.info', tone: 'text-accent', edge: 'border-l-accent' },
};
const order: readonly Severity[] = ['error', 'warning', 'info'];
/** Failures are shown in full; the warnings of a successful Run do not push the plan off the screen. */
const shownAtFirst = { failure: 5, success: 2 };

type Props = {
  /** Run whose code is shown with each diagnostic. */
  run?: Run;
  items: readonly FeedDiagnostic[];
  isFailure: boolean;
};

/** Diagnostics of the tool and the server: errors first, in the order of arrival. */
export function Diagnostics({ run, items, isFailure }: Props) {
  const t = useText();
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return null;
  // A diagnostic of the tool is closer to the cause than the summary of the server.
  const rank = ({ severity, code }: FeedDiagnostic) => order.indexOf(severity) * 2 + (code === undefined ? 0 : 1);
  const sorted = gathered(items).toSorted((a, b) => rank(a.item) - rank(b.item) || a.item.seq - b.item.seq);
  const shown = isWhole ? sorted : sorted.slice(0, isFailure ? shownAtFirst.failure : shownAtFirst.success);
  return (
    <section aria-label={t('run.diagnostics')} className="mb-4 flex flex-col gap-2">
      {shown.map(({ item, times }) => (
        <DiagnosticCard key={item.seq} run={run} item={item} times={times} />
      ))}
      {shown.length < sorted.length && (
        <Button variant="quiet" className="self-start" onClick={() => setWhole(true)}>
          {t('run.diagnostic.more', { count: sorted.length - shown.length })}
        </Button>
      )}
    </section>
  );
}

type Gathered = { item: FeedDiagnostic; times: number };

/** Merges equal messages of the same location. */
function gathered(items: readonly FeedDiagnostic[]): Gathered[] {
  const groups = new Map<string, Gathered>();
  for (const item of items) {
    const key = JSON.stringify({ ...item, seq: 0, at: 0 });
    groups.set(key, { item: groups.get(key)?.item ?? item, times: (groups.get(key)?.times ?? 0) + 1 });
  }
  return [...groups.values()];
}

const rangeText = ({ filename, start }: NonNullable<FeedDiagnostic['range']>): string =>
  `${visibleText(filename)}:${start.line},${start.column}`;

function DiagnosticCard({ run, item, times }: Gathered & { run: Run | undefined }) {
  const t = useText();
  const { severity, message, detail, address, range, variable } = item;
  const { icon: Icon, text, tone, edge } = severityStyles[severity];
  const whole = [message, detail].filter((part) => part !== undefined).join('\n\n');
  return (
    <article className={`rounded-md border border-l-4 border-line bg-card py-2.5 pr-2 pl-3 ${edge}`}>
      <div className="flex items-start gap-2">
        <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone}`} />
        <h2 className="min-w-0 flex-1 font-semibold break-words">
          <span className={tone}>{t(text)}:</span> {visibleLine(message)}
          {times > 1 && <span className="font-normal text-muted"> × {times}</span>}
        </h2>
        <CopyButton text={whole} what={t('run.diagnostic.copy')} />
      </div>
      {detail !== undefined && detail !== '' && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
          tabIndex={0}
          className="mt-1 ml-6 max-h-48 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
        >
          <AnsiText text={detail.trimEnd()} />
        </pre>
      )}
      {run !== undefined && range !== undefined && <DiagnosticCode run={run} range={range} />}
      {(address !== undefined || range !== undefined || variable !== undefined) && (
        <dl className="mt-1.5 ml-6 flex flex-wrap gap-x-5 gap-y-1 text-xs">
          {variable !== undefined && <Where term={t('run.diagnostic.variable')} text={visibleText(variable)} />}
          {address !== undefined && <Where term={t('run.diagnostic.address')} text={visibleText(address)} />}
          {range !== undefined && <Where term={t('run.diagnostic.range')} text={rangeText(range)} />}
        </dl>
      )}
    </article>
  );
}

const Where = ({ term, text }: { term: string; text: string }) => (
  <div className="flex min-w-0 gap-1.5">
    <dt className="shrink-0 text-muted">{term}</dt>
    <dd className="min-w-0 font-mono break-all">{text}</dd>
  </div>
);
