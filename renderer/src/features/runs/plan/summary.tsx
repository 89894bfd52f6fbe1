import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { changeKinds } from '#shared/plans/change';
import type { PlanDocument } from '#shared/plans/document';
import { type Counts, countKinds, kindStyles, type PlanItem } from '../../../components/plan/change.ts';
import { symbolOf, toneFill, toneText } from '../../../components/plan/kind-mark.tsx';
import type { Section } from '../../../components/plan/tree.ts';
import { type TextId, useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { Diagnostics } from '../diagnostics.tsx';

type Props = { plan: PlanDocument; items: readonly PlanItem[]; goTo: (section: Section) => void };

/** Summary of the plan: counts by kind, other facts, and the totals as the tool counts them. */
export function PlanSummaryCard({ plan, items, goTo }: Props) {
  const t = useText();
  const planned = useMemo(() => items.filter((item) => item.section !== 'drift'), [items]);
  const counts = useMemo(() => countKinds(planned, true), [planned]);
  const ownCounts = useMemo(() => countKinds(planned), [planned]);
  const isNothing = planned.length === 0;
  return (
    <Card className="px-4 py-3">
      <h2 className="sr-only">{t('plan.title')}</h2>
      <div className="flex flex-wrap items-baseline gap-x-5 gap-y-1">
        {isNothing && (
          <p className="text-base font-semibold">
            {plan.outputs.length > 0 ? t('plan.none.outputs') : t('plan.none.title')}
          </p>
        )}
        {changeKinds.map((kind) => {
          const count = counts[kind] ?? 0;
          const { tone, count: text } = kindStyles[kind];
          return count === 0 ? null : (
            <p key={kind} className={`text-base font-semibold tabular-nums ${toneText[tone]}`}>
              <span aria-hidden="true" className="mr-1.5 font-mono">
                {symbolOf(kind)}
              </span>
              {t(text, { count })}
            </p>
          );
        })}
        {plan.unchangedCount > 0 && (
          <p className="text-muted tabular-nums">{t('plan.count.unchanged', { count: plan.unchangedCount })}</p>
        )}
      </div>
      {isNothing && items.length + plan.outputs.length === 0 && (
        <p className="mt-1 text-muted">{t('plan.none.text')}</p>
      )}
      {!isNothing && <Bar counts={ownCounts} />}
      <More plan={plan} counts={counts} goTo={goTo} />
    </Card>
  );
}

/** Each change is counted once, so that the numbers add up. */
const Bar = ({ counts }: { counts: Counts }) => (
  <div aria-hidden="true" className="mt-2.5 flex h-2 gap-px overflow-hidden rounded-full">
    {changeKinds.map((kind) =>
      counts[kind] ? (
        <span
          key={kind}
          className={`min-w-1.5 ${toneFill[kindStyles[kind].tone]}`}
          style={{ flexGrow: counts[kind] }}
        />
      ) : null,
    )}
  </div>
);

function More({ plan, counts, goTo }: { plan: PlanDocument; counts: Counts; goTo: Props['goTo'] }) {
  const t = useText();
  const { add, change, destroy } = plan.summary;
  const isReplacing = (counts.replace ?? 0) > 0;
  const hasMore = plan.outputs.length + plan.drift.length > 0 || isReplacing;
  return (
    <>
      {hasMore && (
        <div className="mt-2.5 flex flex-wrap items-center gap-x-5 gap-y-1 text-xs text-muted">
          {plan.outputs.length > 0 && (
            <LinkButton onClick={() => goTo('outputs')}>
              {t('plan.outputsChange', { count: plan.outputs.length })}
            </LinkButton>
          )}
          {plan.drift.length > 0 && (
            <LinkButton onClick={() => goTo('drift')}>{t('plan.driftFound', { count: plan.drift.length })}</LinkButton>
          )}
          {isReplacing && <span>{t('plan.toolCount', { add, change, destroy })}</span>}
        </div>
      )}
      <PlanDiagnostics diagnostics={plan.diagnostics} />
    </>
  );
}

const LinkButton = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <button
    type="button"
    onClick={onClick}
    className="cursor-pointer rounded font-medium text-accent underline-offset-2 hover:underline"
  >
    {children}
  </button>
);

const severities: readonly { severity: PlanDocument['diagnostics'][number]['severity']; text: TextId }[] = [
  { severity: 'error', text: 'plan.diagnostics.errors' },
  { severity: 'warning', text: 'plan.diagnostics.warnings' },
  { severity: 'info', text: 'plan.diagnostics.notes' },
];

/** Diagnostics of the plan, folded, because the Run shows them too. */
function PlanDiagnostics({ diagnostics }: { diagnostics: PlanDocument['diagnostics'] }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const numbered = useMemo(() => diagnostics.map((item, seq) => ({ ...item, seq, at: 0 })), [diagnostics]);
  if (diagnostics.length === 0) return null;
  const summaries = severities.flatMap(({ severity, text }) => {
    const count = diagnostics.filter((item) => item.severity === severity).length;
    return count > 0 ? [t(text, { count })] : [];
  });
  return (
    <div className="mt-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-1 flex cursor-pointer items-center gap-1 rounded px-1 py-0.5 text-xs font-semibold text-warn hover:underline"
      >
        <ChevronRight size={14} aria-hidden="true" className={isOpen ? 'rotate-90' : ''} />
        {summaries.join(', ')}
      </button>
      {isOpen && (
        <div className="mt-2 -mb-3">
          <Diagnostics items={numbered} isFailure={false} />
        </div>
      )}
    </div>
  );
}
