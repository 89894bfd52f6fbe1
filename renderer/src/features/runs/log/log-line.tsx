import { Check, CircleX, Copy, TriangleAlert } from 'lucide-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { LogEntry } from '#shared/runs/feed';
import { useText } from '../../../i18n/text.ts';
import { readAnsi } from '../../../ui/ansi.ts';
import '../../../ui/ansi.css';
import { CopyFailed } from '../../../ui/copy-failed.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { clockText, plainText, rangesIn } from './log-model.ts';

type Props = {
  entry: LogEntry;
  /** Counted from 0. */
  line: number;
  isSelected: boolean;
  /** True for the line of the current search match. */
  isCurrent: boolean;
  pattern: RegExp | undefined;
  isTimed: boolean;
  isWrapped: boolean;
  onSelect: (line: number) => void;
};

const levelClasses: Partial<Record<LogEntry['level'], string>> = {
  error: 'border-bad bg-bad-soft',
  warn: 'border-warn',
};

function lineClassOf({ isSelected, isCurrent, entry }: Props): string {
  if (isSelected) return 'border-accent bg-accent-soft';
  if (isCurrent) return 'border-accent bg-raised';
  return levelClasses[entry.level] ?? 'border-transparent hover:bg-raised';
}

/** One line of a log: its number, which is a link to it, its time and its text in terminal colors. */
export const LogLine = memo(function LogLine(props: Props) {
  const { entry, line, isSelected, isTimed, isWrapped, onSelect } = props;
  const t = useText();
  const select = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(line);
  };
  return (
    <div
      className={`group flex min-h-[20px] border-l-2 pr-2 leading-[20px] ${isWrapped ? '' : 'w-max min-w-full'} ${lineClassOf(props)}`}
    >
      <a
        href={`#L${line + 1}`}
        tabIndex={-1}
        aria-label={t('run.log.line', { line: line + 1 })}
        aria-current={isSelected ? 'location' : undefined}
        onClick={select}
        className="w-[6.5ch] shrink-0 pr-2 text-right text-muted tabular-nums select-none hover:text-accent hover:underline"
      >
        {line + 1}
      </a>
      {isTimed && (
        <time
          dateTime={new Date(entry.at).toISOString()}
          className="shrink-0 pr-3 text-muted tabular-nums select-none max-sm:text-[10px]"
        >
          {clockText(entry.at)}
        </time>
      )}
      <Level level={entry.level} />
      <span
        className={`min-w-0 flex-1 ${isWrapped ? 'break-words whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre'} ${entry.stream === 'system' ? 'text-muted' : ''}`}
      >
        <LineText {...props} />
      </span>
      <CopyLine entry={entry} isSelected={isSelected} />
    </div>
  );
});

function Level({ level }: Pick<LogEntry, 'level'>) {
  const t = useText();
  if (level === 'error')
    return <CircleX size={12} aria-label={t('run.log.error')} className="mt-[4px] mr-1.5 shrink-0 text-bad" />;
  if (level === 'warn')
    return <TriangleAlert size={12} aria-label={t('run.log.warning')} className="mt-[4px] mr-1.5 shrink-0 text-warn" />;
  return <span className="mr-1.5 w-[12px] shrink-0" />;
}

function LineText({ entry, pattern, isCurrent }: Props): ReactNode {
  const ranges = pattern ? rangesIn(plainText(entry), pattern) : [];
  let at = 0;
  return readAnsi(entry.text).map(({ text, className }) => {
    const shown = visibleText(text);
    const from = at;
    at += shown.length;
    return (
      <span key={from} className={className || undefined}>
        {ranges.length === 0 ? shown : marked(shown, { from, ranges, isCurrent })}
      </span>
    );
  });
}

type MatchRanges = { from: number; ranges: readonly [number, number][]; isCurrent: boolean };

/** A span of a line with its search matches marked. A match may start or end in another span. */
function marked(text: string, { from, ranges, isCurrent }: MatchRanges): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    const begin = Math.max(start - from, at);
    const stop = Math.min(end - from, text.length);
    if (stop <= begin) continue;
    parts.push(text.slice(at, begin));
    parts.push(
      <mark
        key={begin}
        className={`rounded-xs text-ink ${isCurrent ? 'bg-warn-soft outline-2 outline-warn' : 'bg-warn-soft outline outline-warn/50'}`}
      >
        {text.slice(begin, stop)}
      </mark>,
    );
    at = stop;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Reached by pointer, and by `c` for the selected line, so that lines do not add tab stops. */
function CopyLine({ entry, isSelected }: Pick<Props, 'entry' | 'isSelected'>) {
  const t = useText();
  const { outcome, copy } = useCopy();
  const isDone = outcome === 'copied';
  const Icon = isDone ? Check : Copy;
  return (
    <span
      className={`sticky right-0 ml-1 flex shrink-0 items-center gap-1 self-start ${outcome === 'failed' ? 'bg-card pl-1' : ''}`}
    >
      {outcome === 'failed' && <CopyFailed />}
      <button
        type="button"
        tabIndex={-1}
        onClick={() => void copy(plainText(entry))}
        aria-label={t(isDone ? 'copied' : 'run.log.copyLine')}
        title={t('run.log.copyLine')}
        className={`size-[20px] shrink-0 cursor-pointer rounded bg-card p-1 text-muted hover:text-ink ${isSelected || isDone ? '' : 'opacity-0 group-hover:opacity-100'}`}
      >
        <Icon size={12} aria-hidden="true" />
      </button>
    </span>
  );
}
