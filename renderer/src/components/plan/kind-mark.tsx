import { type ChangeKind, changeKinds, signOf } from '#shared/plans/change';
import { type TextId, useText } from '../../i18n/text.ts';
import { kindSymbols } from '../../ui/kind-symbols.ts';
import { numberText } from '../../ui/number-text.ts';
import { toneSoft } from '../../ui/pill.tsx';
import { type Counts, kindStyles, type PlanItem } from './change.ts';

export const toneText = {
  neutral: 'text-muted',
  accent: 'text-accent',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  replace: 'text-replace',
} as const;
export const toneFill = {
  neutral: 'bg-line-strong',
  accent: 'bg-accent',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  replace: 'bg-replace',
} as const;

/** The symbol of a replace shows the order of destroy and create. */
export const symbolOf = (kind: ChangeKind, actions?: PlanItem['resource']['actions']): string =>
  kind === 'replace' && actions ? signOf({ actions }, kindSymbols) : kindSymbols[kind];

type MarkProps = { kind: ChangeKind; actions?: PlanItem['resource']['actions']; label?: TextId };

/** Kind of change as a symbol and a word. Marks have the same width in a list; those with a label of their own are wider. */
export function KindMark({ kind, actions, label = kindStyles[kind].label }: MarkProps) {
  const t = useText();
  const { tone } = kindStyles[kind];
  const width = label === kindStyles[kind].label ? 'min-w-24' : 'min-w-36';
  return (
    <span
      className={`inline-flex ${width} shrink-0 items-center gap-1.5 self-start rounded px-1.5 py-0.5 text-xs leading-4 font-semibold whitespace-nowrap ${toneSoft[tone]}`}
    >
      <span aria-hidden="true" className="min-w-3 text-center font-mono">
        {symbolOf(kind, actions)}
      </span>
      {t(label)}
    </span>
  );
}

/** Shows `+3 ~2 −1`, with a sentence for screen readers. */
export function KindCounts({ counts }: { counts: Counts }) {
  const t = useText();
  const present = changeKinds.filter((kind) => (counts[kind] ?? 0) > 0);
  return (
    <span className="inline-flex shrink-0 gap-2 font-mono text-xs leading-5 tabular-nums">
      {present.map((kind) => (
        <span key={kind} className={toneText[kindStyles[kind].tone]}>
          <span aria-hidden="true">
            {kindSymbols[kind]}
            {numberText(counts[kind] ?? 0)}
          </span>
          <span className="sr-only">{t(kindStyles[kind].count, { count: counts[kind] ?? 0 })}, </span>
        </span>
      ))}
    </span>
  );
}
