import { Check, ChevronsDownUp, ChevronsUpDown, Copy, Keyboard, Search, X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { changeKinds } from '#shared/plans/change';
import type { PlanDocument } from '#shared/plans/document';
import { useText } from '../../i18n/text.ts';
import { showKeySheet } from '../../ui/keys/key-help.ts';
import { numberText } from '../../ui/number-text.ts';
import { toneSoft } from '../../ui/pill.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { planAsText } from './as-text.ts';
import { countKinds, kindStyles, type PlanItem } from './change.ts';
import { symbolOf, toneText } from './kind-mark.tsx';
import type { ActiveRow } from './use-active-row.ts';
import { preserveFocus } from './use-plan-keys.ts';
import type { PlanList } from './use-plan-list.ts';

type Props = {
  plan: PlanDocument;
  list: PlanList;
  search: RefObject<HTMLInputElement | null>;
  active: ActiveRow;
};

/** Stays visible while the list scrolls below it. */
export function PlanToolbar({ plan, list, search, active }: Props) {
  const t = useText();
  return (
    <div className="z-10 flex flex-wrap items-center gap-2 rounded-t-lg border border-line bg-card px-3 py-2 sm:sticky sm:top-[var(--sticky-top,0px)]">
      <SearchBox list={list} input={search} onLeave={() => active.focus(active.id)} />
      <div className="flex gap-1">
        <IconButton label={t('plan.expandAll')} keys="e" onClick={() => preserveFocus(active, list.expandAll)}>
          <ChevronsUpDown size={16} aria-hidden="true" />
        </IconButton>
        <IconButton label={t('plan.collapseAll')} keys="c" onClick={() => preserveFocus(active, list.collapseAll)}>
          <ChevronsDownUp size={16} aria-hidden="true" />
        </IconButton>
        <IconButton label={t('plan.keys.open')} keys="?" onClick={() => showKeySheet(true)}>
          <Keyboard size={16} aria-hidden="true" />
        </IconButton>
      </div>
      <CopyPlan plan={plan} items={list.items} />
      <Filters list={list} />
    </div>
  );
}

function SearchBox({ list, input, onLeave }: { list: PlanList; input: Props['search']; onLeave: () => void }) {
  const t = useText();
  const { typed, setTyped, query, count } = list;
  const countText = t('plan.search.found', { shown: count.shown, count: count.all });
  return (
    <div className="relative flex min-w-0 flex-1 basis-36 items-center">
      <Search size={15} aria-hidden="true" className="pointer-events-none absolute left-2.5 text-muted" />
      <input
        ref={input}
        type="search"
        value={typed}
        maxLength={200}
        aria-label={t('plan.search.label')}
        aria-keyshortcuts="/"
        placeholder={t('plan.search.placeholder')}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape' && typed !== '') setTyped('');
          else if (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'Escape') onLeave();
          else return;
          event.preventDefault();
        }}
        className="min-h-9 w-full rounded-md border border-line-strong/60 bg-card pr-9 pl-8 placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
      />
      {typed !== '' && (
        <button
          type="button"
          aria-label={t('plan.search.clear')}
          onClick={() => {
            setTyped('');
            input.current?.focus();
          }}
          className="absolute right-1.5 cursor-pointer rounded p-1.5 text-muted hover:bg-raised hover:text-ink"
        >
          <X size={14} aria-hidden="true" />
        </button>
      )}
      <span role="status" className="sr-only">
        {query === '' ? '' : countText}
      </span>
    </div>
  );
}

/** Chips that filter the list by kind of change; none pressed shows all. */
function Filters({ list }: { list: PlanList }) {
  const t = useText();
  const { items, kinds, count, query } = list;
  const counts = countKinds(
    items.filter((item) => item.section !== 'drift'),
    true,
  );
  const present = changeKinds.filter((kind) => (counts[kind] ?? 0) > 0);
  const isNarrowed = kinds.size > 0 || query !== '';
  if (present.length < 2 && !isNarrowed) return null;
  return (
    <fieldset className="flex basis-full flex-wrap items-center gap-1.5">
      <legend className="sr-only">{t('plan.filter.label')}</legend>
      {present.map((kind) => {
        const { tone, label } = kindStyles[kind];
        const isOn = kinds.has(kind);
        return (
          <button
            key={kind}
            type="button"
            aria-pressed={isOn}
            onClick={() => list.toggleKind(kind)}
            className={`inline-flex min-h-7 cursor-pointer items-center gap-1.5 rounded-full border px-2.5 text-xs font-medium ${isOn ? `border-current ${toneSoft[tone]}` : 'border-line text-muted hover:bg-raised hover:text-ink'}`}
          >
            {isOn ? (
              <Check size={13} aria-hidden="true" />
            ) : (
              <span aria-hidden="true" className={`font-mono font-semibold ${toneText[tone]}`}>
                {symbolOf(kind)}
              </span>
            )}
            {t(label)} <span className="tabular-nums">{numberText(counts[kind] ?? 0)}</span>
          </button>
        );
      })}
      {isNarrowed && (
        <span className="ml-1 flex flex-wrap items-center gap-x-3 text-xs text-muted">
          <span aria-hidden="true" className="tabular-nums">
            {t('plan.search.found', { shown: count.shown, count: count.all })}
          </span>
          <button
            type="button"
            onClick={list.showAll}
            className="cursor-pointer rounded font-medium text-accent hover:underline"
          >
            {t('plan.filter.clear')}
          </button>
        </span>
      )}
    </fieldset>
  );
}

type IconProps = { label: string; keys: string; onClick: () => void; children: ReactNode };
const IconButton = ({ label, keys, onClick, children }: IconProps) => (
  <button
    type="button"
    aria-label={label}
    aria-keyshortcuts={keys}
    title={`${label} (${keys})`}
    onClick={onClick}
    className="inline-flex size-9 cursor-pointer items-center justify-center rounded-md text-muted hover:bg-raised hover:text-ink"
  >
    {children}
  </button>
);

const shownMs = 2_000;

/** The text is created on request, because it is long for a large plan. */
function CopyPlan({ plan, items }: { plan: PlanDocument; items: readonly PlanItem[] }) {
  const t = useText();
  const { outcome, copy } = useCopy(shownMs);
  return (
    <>
      <button
        type="button"
        onClick={() => void copy(planAsText(plan, items, t))}
        className="inline-flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-line-strong/50 px-3 font-medium hover:bg-raised"
      >
        {outcome === 'copied' ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
        <span className="sr-only sm:not-sr-only">{outcome === 'copied' ? t('plan.copied') : t('plan.copy')}</span>
      </button>
      <span role="status" className={outcome === 'failed' ? 'text-xs text-bad' : 'sr-only'}>
        {outcome === 'failed' && t('plan.copyFailed')}
        {outcome === 'copied' && t('plan.copied')}
      </span>
    </>
  );
}
