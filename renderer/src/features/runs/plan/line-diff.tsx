import { useMemo, useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import type { NodeChange } from './diff.ts';
import { HighlightedText, useQueryText } from './search-matches.tsx';
import { finalNewline, type LongTexts } from './side-text.ts';
import { type DiffLine, diffLines, foldLines, type LineBlock } from './text-diff.ts';

const step = 60;
/** Longer lines are cut around the part that differs. */
const longLine = 600;
const around = 120;

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

const lineStyles = {
  same: { sign: ' ', line: '', signTone: 'text-muted', mark: '' },
  add: { sign: '+', line: 'bg-good-soft', signTone: 'text-good', mark: 'bg-good/25' },
  remove: { sign: '−', line: 'bg-bad-soft', signTone: 'text-bad', mark: 'bg-bad/25' },
} as const;

const Lines = ({ lines }: { lines: readonly DiffLine[] }) => (
  <div className="font-mono text-xs leading-5">
    {lines.map((line) => (
      <LineView key={`${line.beforeNo ?? ''}:${line.afterNo ?? ''}`} line={line} />
    ))}
  </div>
);

function LineView({ line }: { line: DiffLine }) {
  const t = useText();
  const [isWhole, setWhole] = useState(false);
  const style = lineStyles[line.kind];
  const isCut = !isWhole && line.text.length > longLine;
  return (
    <div className={`flex ${style.line}`}>
      <span aria-hidden="true" className="hidden w-9 shrink-0 pr-2 text-right text-muted select-none sm:block">
        {line.beforeNo}
      </span>
      <span aria-hidden="true" className="hidden w-9 shrink-0 pr-2 text-right text-muted select-none sm:block">
        {line.afterNo}
      </span>
      <span className={`w-4 shrink-0 text-center font-semibold select-none ${style.signTone}`}>{style.sign}</span>
      <span className="min-w-0 flex-1 pr-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {isCut ? <CutText line={line} mark={style.mark} /> : <LineText line={line} mark={style.mark} />}
        {isCut && (
          <button
            type="button"
            onClick={() => setWhole(true)}
            className="ml-2 cursor-pointer rounded font-sans text-accent hover:underline"
          >
            {t('plan.wholeLine', { count: line.text.length })}
          </button>
        )}
      </span>
    </div>
  );
}

function CutText({ line, mark }: { line: DiffLine; mark: string }) {
  const query = useQueryText();
  const hit = query === '' ? -1 : line.text.toLowerCase().indexOf(query);
  const [markFrom, markTo] = line.mark ?? [0, 0];
  const center = hit === -1 ? markFrom : hit;
  const from = Math.max(center - around, 0);
  const to = Math.min(Math.max(center, Math.min(markTo, center + around)) + around, line.text.length);
  const piece: DiffLine = {
    ...line,
    text: line.text.slice(from, to),
    mark: [Math.max(markFrom - from, 0), Math.max(Math.min(markTo, to) - from, 0)],
  };
  return (
    <>
      {from > 0 && '…'}
      <LineText line={piece} mark={mark} />
      {to < line.text.length && '…'}
    </>
  );
}

/** Highlights the part that differs or, during a search, the matches. */
function LineText({ line, mark }: { line: DiffLine; mark: string }) {
  const query = useQueryText();
  const [from, to] = line.mark ?? [0, 0];
  if (query !== '' || from === to) return <HighlightedText text={line.text} />;
  return (
    <>
      {visibleText(line.text.slice(0, from))}
      <span className={`rounded-xs ${mark}`}>{visibleText(line.text.slice(from, to))}</span>
      {visibleText(line.text.slice(to))}
    </>
  );
}
