import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type ChangeKind, changeKinds, kindOf } from '#shared/plans/change';
import type { PlanDocument } from '#shared/plans/document';
import { listItems, type PlanItem } from './change.ts';
import { addressOf, openIdsOf, type PlanAddress } from './plan-address.ts';
import { asQuery, matches } from './search.ts';
import { flatten, type Row, type Shown, sectionId, sortItems } from './tree.ts';

const pauseMs = 150;

/** Drift beside a plan is folded, unless the URL opens a row of it. */
const closedFirst = (items: readonly PlanItem[], open: readonly string[]): ReadonlySet<string> =>
  items.every((item) => item.section === 'drift') ||
  items.some(({ id, section }) => section === 'drift' && open.includes(id))
    ? new Set()
    : new Set([sectionId('drift')]);

const kindsIn = (text = ''): ReadonlySet<ChangeKind> =>
  new Set(changeKinds.filter((kind) => text.split(',').includes(kind)));

const toggled = (set: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
};

/** Changes that a list shows: those of a plan, or of a comparison. */
export type ListedChanges = Pick<PlanDocument, 'resources' | 'drift' | 'outputs'>;

/** State of the plan list: the visible rows and what the user has folded, opened, filtered and searched. */
export function usePlanList(plan: ListedChanges, first: PlanAddress) {
  const items = useMemo(() => sortItems(listItems(plan)), [plan]);
  const outputs = useMemo(
    () => plan.outputs.map((output) => ({ id: `output ${output.name}`, output, kind: kindOf(output) })),
    [plan],
  );
  const ids = useMemo(() => [...items, ...outputs].map(({ id }) => id), [items, outputs]);
  const [firstOpen] = useState(() => openIdsOf(first.open, ids));
  const [closed, setClosed] = useState(() => closedFirst(items, firstOpen));
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(firstOpen));
  const [kinds, setKinds] = useState(() => kindsIn(first.kinds));
  const [typed, setTyped] = useState(first.q ?? '');
  const query = usePaused(asQuery(typed));

  const shown = useMemo(() => select({ items, outputs }, kinds, query), [items, outputs, kinds, query]);
  const rows = useDeferredValue(useMemo(() => flatten(shown, { closed, open }), [shown, closed, open]));
  // A match may be in a fold.
  useEffect(() => {
    if (query !== '') setClosed(new Set());
  }, [query]);

  const toggle = useCallback((row: Row) => {
    const isGroup = row.type === 'section' || row.type === 'module';
    (isGroup ? setClosed : setOpen)((set) => toggled(set, row.id));
  }, []);
  const expandAll = useCallback(() => {
    setClosed(new Set());
    setOpen(new Set([...shown.items, ...shown.outputs].map(({ id }) => id)));
  }, [shown]);
  /** A second call folds the modules too. */
  const collapseAll = useCallback(() => {
    if (open.size > 0) setOpen(new Set());
    else setClosed(new Set(groupIds(flatten(shown, { closed: new Set(), open }))));
  }, [open, shown]);
  const showSection = useCallback((id: string) => {
    setKinds(new Set());
    setTyped('');
    setClosed((set) => new Set([...set].filter((one) => one !== id)));
  }, []);
  const toggleKind = useCallback((kind: ChangeKind) => setKinds((set) => toggled(set, kind) as Set<ChangeKind>), []);
  const showAll = useCallback(() => {
    setKinds(new Set());
    setTyped('');
  }, []);

  const count = { shown: shown.items.length + shown.outputs.length, all: items.length + outputs.length };
  const actions = { toggle, expandAll, collapseAll, showSection, toggleKind, showAll, setTyped };
  const address = useMemo(() => addressOf({ q: query, kinds, open }, ids), [query, kinds, open, ids]);
  /** The only row that the URL opened, which gets the focus. */
  const linked = firstOpen.length === 1 ? firstOpen[0] : undefined;
  return { items, rows, query, typed, kinds, count, address, linked, ...actions };
}
export type PlanList = ReturnType<typeof usePlanList>;

const groupIds = (rows: readonly Row[]): string[] => rows.flatMap((row) => (row.type === 'module' ? [row.id] : []));

/** Kinds filter planned changes only; Outputs and drift are not planned changes. */
function select(all: Shown, kinds: ReadonlySet<ChangeKind>, query: string): Shown {
  const isOfKind = (item: PlanItem) => item.section !== 'drift' && item.kinds.some((kind) => kinds.has(kind));
  return {
    items: all.items.filter((item) => (kinds.size === 0 || isOfKind(item)) && matches(item.resource, query)),
    outputs: kinds.size > 0 ? [] : all.outputs.filter(({ output }) => matches(output, query)),
  };
}

/** Debounces a value; an empty one is returned at once. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), value === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
