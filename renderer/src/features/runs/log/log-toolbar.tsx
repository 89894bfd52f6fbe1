import { ChevronDown, ChevronUp, Clock, Download, Search, WrapText } from 'lucide-react';
import { type ReactNode, type RefObject, useId } from 'react';
import { useText } from '../../../i18n/text.ts';
import type { LogSearch } from './use-log-search.ts';

const toolClass =
  'inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-md text-muted hover:bg-raised hover:text-ink disabled:cursor-not-allowed disabled:opacity-55 aria-pressed:bg-accent-soft aria-pressed:text-accent';

type ToolProps = { label: string; children: ReactNode; onClick: () => void; isOn?: boolean; disabled?: boolean };

const Tool = ({ label, children, onClick, isOn, disabled = false }: ToolProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    aria-pressed={isOn}
    disabled={disabled}
    onClick={onClick}
    className={toolClass}
  >
    {children}
  </button>
);

type Props = {
  search: LogSearch;
  input: RefObject<HTMLInputElement | null>;
  onStep: (by: 1 | -1) => void;
  /** Back from the search to the lines. */
  onLeave: () => void;
  isTimed: boolean;
  onTimed: () => void;
  isWrapped: boolean;
  onWrapped: () => void;
  onDownload: () => void;
  isDownloading: boolean;
  /** Content between the search and the tools. */
  children?: ReactNode;
};

export function LogToolbar({ children, ...props }: Props) {
  const t = useText();
  const { isTimed, onTimed, isWrapped, onWrapped, onDownload, isDownloading } = props;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-2 py-1.5">
      <LogSearchField {...props} />
      <div className="hidden min-w-0 flex-1 truncate px-1 text-right text-xs text-muted sm:block">{children}</div>
      <div className="flex items-center gap-0.5">
        <Tool label={t('run.log.times')} isOn={isTimed} onClick={onTimed}>
          <Clock size={15} aria-hidden="true" />
        </Tool>
        <Tool label={t('run.log.wrap')} isOn={isWrapped} onClick={onWrapped}>
          <WrapText size={15} aria-hidden="true" />
        </Tool>
        <Tool label={t('run.log.download')} disabled={isDownloading} onClick={onDownload}>
          <Download size={15} aria-hidden="true" />
        </Tool>
      </div>
    </div>
  );
}

function LogSearchField({ search, input, onStep, onLeave }: Omit<Props, 'children'>) {
  const t = useText();
  const id = useId();
  const { query, lines, at } = search;
  return (
    <search className="flex min-w-0 flex-1 basis-64 items-center gap-1 sm:max-w-md">
      <div className="relative min-w-0 flex-1">
        <label htmlFor={id} className="sr-only">
          {t('run.log.search')}
        </label>
        <Search size={14} aria-hidden="true" className="absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
        <input
          ref={input}
          id={id}
          type="search"
          value={query}
          placeholder={t('run.log.search')}
          aria-keyshortcuts="Control+F /"
          onChange={(event) => search.setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
            else if (event.key !== 'Escape') return;
            else if (query === '') onLeave();
            else search.setQuery('');
            event.preventDefault();
          }}
          className="h-8 w-full rounded-md border border-line-strong/60 bg-card py-1 pr-2 pl-8 text-sm placeholder:text-muted"
        />
      </div>
      {query !== '' && (
        <>
          <output htmlFor={id} className="shrink-0 text-xs text-muted tabular-nums">
            {t('run.log.found', { at: at === undefined ? 0 : at + 1, count: lines.length })}
          </output>
          <Tool label={t('run.log.previous')} disabled={lines.length === 0} onClick={() => onStep(-1)}>
            <ChevronUp size={15} aria-hidden="true" />
          </Tool>
          <Tool label={t('run.log.next')} disabled={lines.length === 0} onClick={() => onStep(1)}>
            <ChevronDown size={15} aria-hidden="true" />
          </Tool>
        </>
      )}
    </search>
  );
}
