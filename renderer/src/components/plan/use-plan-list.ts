import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type ChangeKind, kindOf } from '#shared/plans/change';
import type { PlanDocument } from '#shared/plans/document';
import { listItems, type PlanItem } from './change.ts';
import { asQuery, matches } from './search.ts';
import { flatten, type Row, type Shown, sectionId, sortItems } from './tree.ts';

const pauseMs = 150;

const opensFirst = (items: readonly PlanItem[]): ReadonlySet<string> =>
  items.every((item) => item.section === 'drift') ? new Set() : new Set([sectionId('drift')]);

const toggled = (set: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
};

/** State of the plan list: the visible rows and what the user has folded, opened, filtered and searched. */
export function usePlanList(plan: PlanDocument) {
  const items = useMemo(() => sortItems(listItems(plan)), [plan]);
  const outputs = useMemo(
    () => plan.outputs.map((output) => ({ id: `output ${output.name}`, output, kind: kindOf(output) })),
    [plan],
  );
  const [closed, setClosed] = useState(() => opensFirst(items));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [kinds, setKinds] = useState<ReadonlySet<ChangeKind>>(new Set());
  const [typed, setTyped] = useState('');
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
  return { items, rows, query, typed, kinds, count, ...actions };
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
