import { useMemo, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { DiffLine } from '../code/diff-line.ts';
import { DiffLines } from '../code/diff-lines.tsx';
import type { NodeChange } from './diff.ts';
import { HighlightedText, useQueryText } from './search-matches.tsx';
import { finalNewline, type LongTexts } from './side-text.ts';
import { diffLines, foldLines, type LineBlock } from './text-diff.ts';

const step = 60;

/** Line diff of a text, with unchanged lines folded. */
export function LineDiff({ texts, name, change }: { texts: LongTexts; name: string; change: NodeChange }) {
  const t = useText();
  const [most, setMost] = useState(step);
  const { before, after } = texts;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const isSame = lines.every((line) => line.kind === 'same');
  const blocks = useMemo(() => (isSame ? [{ kind: 'lines' as const, lines }] : foldLines(lines)), [isSame, lines]);
  const shown = takeLines(blocks, most);
  const rest = blocks.flatMap((block) => (block.kind === 'lines' ? block.lines : [])).length - most;
  return (
    <section
      aria-label={t('plan.lineDiff', { name: visibleText(name) })}
      className="my-0.5 overflow-hidden rounded-md border border-line bg-page"
    >
      {isSame && change !== 'same' && !finalNewline(texts) && (
        <p className="px-2 py-1 text-xs text-muted">{t('plan.note.layout')}</p>
      )}
      {shown.map((block, index) =>
        block.kind === 'lines' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text never move
          <Lines key={index} lines={block.lines} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text never move
          <Fold key={index} lines={block.lines} />
        ),
      )}
      {rest > 0 && (
        <FoldButton onClick={() => setMost(most + step * 5)}>{t('plan.moreLines', { count: rest })}</FoldButton>
      )}
    </section>
  );
}

/** Returns as many blocks as contain this many unfolded lines. */
function takeLines(blocks: readonly LineBlock[], most: number): LineBlock[] {
  const taken: LineBlock[] = [];
  let remaining = most;
  for (const block of blocks) {
    if (remaining <= 0) break;
    taken.push(block.kind === 'lines' ? { ...block, lines: block.lines.slice(0, remaining) } : block);
    if (block.kind === 'lines') remaining -= block.lines.length;
  }
  return taken;
}

function Fold({ lines }: { lines: readonly DiffLine[] }) {
  const t = useText();
  const query = useQueryText();
  const [isOpen, setOpen] = useState(false);
  const hasMatch = query !== '' && lines.some((line) => visibleText(line.text).toLowerCase().includes(query));
  if (isOpen || hasMatch) return <Lines lines={lines} />;
  return <FoldButton onClick={() => setOpen(true)}>{t('plan.showLines', { count: lines.length })}</FoldButton>;
}

const FoldButton = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <button
    type="button"
    onClick={onClick}
    className="block w-full cursor-pointer bg-accent-soft px-2 py-0.5 text-left text-xs text-accent hover:underline focus-visible:outline-offset-[-2px]"
  >
    <span aria-hidden="true">⋯ </span>
    {children}
  </button>
);

/** Lines in which the matches of the search are marked. */
function Lines({ lines }: { lines: readonly DiffLine[] }) {
  const query = useQueryText();
  return <DiffLines lines={lines} {...(query !== '' && { search: { query, Text: HighlightedText } })} />;
}
