import type { PlanSummary } from '#shared/plans/summary';
import { isEmptySummary } from '#shared/plans/totals';
import { useText } from '../i18n/text.ts';
import { kindSymbols } from './kind-symbols.ts';
import { numberText } from './number-text.ts';

const marks = [
  { of: 'add', sign: kindSymbols.create, tone: 'text-good' },
  { of: 'change', sign: kindSymbols.update, tone: 'text-warn' },
  { of: 'destroy', sign: kindSymbols.delete, tone: 'text-bad' },
] as const;

/** Shows `+2 ~1 −0`, with a sentence for screen readers: what a plan would do, or what was done. */
export function ChangeCounts({ counts, isDone = false }: { counts: PlanSummary; isDone?: boolean }) {
  const t = useText();
  const { add, change, destroy, import: imported = 0, forget = 0 } = counts;
  const text = t(isDone ? 'changes.done' : 'changes.words', { add, change, destroy });
  if (isEmptySummary(counts))
    return <span className="text-muted">{t(isDone ? 'changes.done.none' : 'changes.none')}</span>;
  return (
    <span title={text} className="inline-flex items-baseline gap-2 font-mono text-[0.93em] whitespace-nowrap">
      <span className="sr-only">{text}</span>
      {marks.map(({ of, sign, tone }) => (
        <span key={of} aria-hidden="true" className={counts[of] > 0 ? tone : 'text-muted'}>
          {sign}
          {numberText(counts[of])}
        </span>
      ))}
      {imported > 0 && <span className="font-sans text-xs text-muted">{t('changes.import', { count: imported })}</span>}
      {forget > 0 && <span className="font-sans text-xs text-muted">{t('changes.forget', { count: forget })}</span>}
    </span>
  );
}
