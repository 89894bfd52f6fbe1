import { type ComponentType, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { DiffLine } from './diff-line.ts';

/** Longer lines are cut around the part that differs. */
const longLine = 600;
const around = 120;

const lineStyles = {
  same: { sign: ' ', line: '', signTone: 'text-muted', mark: '' },
  add: { sign: '+', line: 'bg-good-soft', signTone: 'text-good', mark: 'bg-good/25' },
  remove: { sign: '−', line: 'bg-bad-soft', signTone: 'text-bad', mark: 'bg-bad/25' },
} as const;

type Search = { query: string; Text: ComponentType<{ text: string }> };
type LinesProps = { lines: readonly DiffLine[]; search?: Search };

/** Numbered lines of a change. During a search, `Text` marks the matches instead of the part that differs. */
export const DiffLines = ({ lines, search }: LinesProps) => (
  <div className="font-mono text-xs leading-5">
    {lines.map((line) => (
      <LineView key={`${line.beforeNo ?? ''}:${line.afterNo ?? ''}`} line={line} search={search} />
    ))}
  </div>
);

type LineProps = { line: DiffLine; search: Search | undefined };

function LineView({ line, search }: LineProps) {
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
        {isCut ? (
          <CutText line={line} mark={style.mark} search={search} />
        ) : (
          <LineText line={line} mark={style.mark} search={search} />
        )}
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

function CutText({ line, mark, search }: LineProps & { mark: string }) {
  const hit = search === undefined ? -1 : line.text.toLowerCase().indexOf(search.query);
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
      <LineText line={piece} mark={mark} search={search} />
      {to < line.text.length && '…'}
    </>
  );
}

/** Highlights the part that differs or, during a search, the matches. */
function LineText({ line, mark, search }: LineProps & { mark: string }) {
  const [from, to] = line.mark ?? [0, 0];
  if (search !== undefined) return <search.Text text={line.text} />;
  if (from === to) return visibleText(line.text);
  return (
    <>
      {visibleText(line.text.slice(0, from))}
      <span className={`rounded-xs ${mark}`}>{visibleText(line.text.slice(from, to))}</span>
      {visibleText(line.text.slice(to))}
    </>
  );
}
