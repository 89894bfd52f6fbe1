import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import type { FeedDiagnostic } from '#shared/runs/feed';
import { codeLinesQuery, reportQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { type CodeRange, codeRangeOf } from './diagnostic-range.ts';

type Range = NonNullable<FeedDiagnostic['range']>;

/** Lines of the module that a diagnostic is about, from the archive of the Run's commit; nothing when there are none. */
export function DiagnosticCode({ run, range }: { run: Run; range: Range }) {
  const report = useQuery(whenKnown(run.compatibilityReportId, reportQuery));
  const code = codeRangeOf(range, report.data?.modulePath ?? '.');
  const { sourceId, sourceSnapshotId } = run;
  if (code === undefined || sourceId === undefined || sourceSnapshotId === undefined) return null;
  if (report.isLoading) return <Reserved lines={code.to - code.from + 1} />;
  return report.data && <CodeLines at={{ sourceId, sourceSnapshotId, ...code }} marked={range} />;
}

/** Height of a box with this many lines. */
const heightOf = (lines: number) => ({ minHeight: `calc(${lines * 1.25}rem + 0.625rem)` });

/** Keeps the height of lines that load, so that nothing moves when they arrive. */
const Reserved = ({ lines }: { lines: number }) => (
  <div aria-hidden="true" className="mt-1.5 ml-6" style={heightOf(lines)} />
);

type LinesProps = { at: CodeRange & { sourceId: string; sourceSnapshotId: string }; marked: Range };

function CodeLines({ at, marked: { start, end } }: LinesProps) {
  const t = useText();
  const { data, isLoading } = useQuery(codeLinesQuery(at));
  if (isLoading) return <Reserved lines={at.to - at.from + 1} />;
  if (data === undefined || data.lines.length === 0) return null;
  const last = data.from + data.lines.length - 1;
  return (
    <section
      aria-label={t('code.lines', { path: visibleText(at.path), from: data.from, to: last })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
      tabIndex={0}
      style={heightOf(at.to - at.from + 1)}
      className="mt-1.5 ml-6 overflow-x-auto rounded-md border border-line bg-page py-1 font-mono text-xs leading-5"
    >
      {data.lines.map((line, index) => {
        const number = data.from + index;
        const isMarked = number >= start.line && number <= end.line;
        return (
          <div key={number} className={`flex w-max min-w-full ${isMarked ? 'bg-bad-soft' : ''}`}>
            <span aria-hidden="true" className="w-10 shrink-0 pr-3 text-right text-muted select-none">
              {number}
            </span>
            <span className="pr-3 whitespace-pre">
              {visibleText(line.text)}
              {line.isCut && '…'}
            </span>
          </div>
        );
      })}
    </section>
  );
}
