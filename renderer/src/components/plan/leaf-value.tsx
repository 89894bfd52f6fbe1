import { useText } from '../../i18n/text.ts';
import type { DiffLeaf, Side } from './diff.ts';
import { LineDiff } from './line-diff.tsx';
import { HighlightedText } from './search-matches.tsx';
import { finalNewline, isMissing, longTexts, sideText } from './side-text.ts';

/** Both sides of one attribute: on one line when they are short, else as a line diff. */
export function LeafValue({ leaf }: { leaf: DiffLeaf }) {
  const t = useText();
  const long = longTexts(leaf, t);
  const newline = long && finalNewline(long);
  const notes = [
    leaf.note && t(`plan.note.${leaf.note}`),
    long?.format === 'json' && t('plan.note.json'),
    newline && t(`plan.note.${newline}`),
  ].filter((note) => typeof note === 'string');
  return (
    <>
      {long ? <LineDiff texts={long} name={leaf.name} change={leaf.change} /> : <ShortValue leaf={leaf} />}
      {notes.length > 0 && <span className="text-xs text-muted"> {notes.join(' · ')}</span>}
    </>
  );
}

const variants = {
  plain: '',
  same: 'text-muted',
  before: 'rounded bg-bad-soft px-1 text-bad',
  after: 'rounded bg-good-soft px-1 text-good',
} as const;

function ShortValue({ leaf }: { leaf: DiffLeaf }) {
  const t = useText();
  const { before, after, change } = leaf;
  if (change === 'same') return <Value side={after.kind === 'absent' ? before : after} variant="same" />;
  const isBare = change === 'add' && before.kind === 'absent';
  if (isBare) return <Value side={after} variant="plain" />;
  if (after.kind === 'absent') return <Value side={before} variant="plain" />;
  return (
    <span className="leading-6">
      <Value side={before} variant={isMissing(before) ? 'same' : 'before'} />
      <span aria-hidden="true" className="mx-1.5 text-muted">
        →
      </span>
      <span className="sr-only">{t('plan.becomes')}</span>
      <Value side={after} before={before} variant={isMissing(after) ? 'same' : 'after'} />
    </span>
  );
}

/** Untrusted values are quoted; remarks of the plan are in brackets and italics. */
function Value({ side, before, variant }: { side: Side; before?: Side; variant: keyof typeof variants }) {
  const t = useText();
  const text = sideText(side, t, before);
  const isSaid = side.kind === 'unknown' || side.kind === 'sensitive';
  return (
    <span
      className={`font-mono text-[0.93em] [overflow-wrap:anywhere] [box-decoration-break:clone] ${variants[variant]} ${isSaid ? 'italic' : ''}`}
    >
      {isSaid ? text : <HighlightedText text={text} />}
    </span>
  );
}
