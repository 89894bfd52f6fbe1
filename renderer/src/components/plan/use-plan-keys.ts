import { type RefObject, useEffect, useRef } from 'react';
import { isPageKey } from '../../ui/keys/key-event.ts';
import { useKeyHelp } from '../../ui/keys/key-help.ts';
import { areSingleKeysOn } from '../../ui/keys/single-keys.ts';
import { isUnclaimed } from '../../ui/unclaimed-focus.ts';
import { planKeys } from './plan-keys.ts';
import type { Row } from './tree.ts';
import type { ActiveRow } from './use-active-row.ts';
import type { PlanList } from './use-plan-list.ts';

type Command =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'open'
  | 'close'
  | 'toggle'
  | 'nextDestructive'
  | 'previousDestructive'
  | 'search'
  | 'expandAll'
  | 'collapseAll';

/** Keys that work while a line of the list has the focus. */
const listKeys: Readonly<Record<string, Command>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  ArrowRight: 'open',
  ArrowLeft: 'close',
  Home: 'first',
  End: 'last',
};
/** Single keys, which the user can turn off (WCAG 2.1.4). */
const singleKeys: Readonly<Record<string, Command>> = {
  j: 'next',
  k: 'previous',
  o: 'toggle',
  n: 'nextDestructive',
  p: 'previousDestructive',
  '/': 'search',
  e: 'expandAll',
  c: 'collapseAll',
};

type Parts = {
  root: RefObject<HTMLElement | null>;
  search: RefObject<HTMLInputElement | null>;
  list: PlanList;
  active: ActiveRow;
};

/** The keyboard of the plan. It is silent while something is typed, and while another part of the page has the focus. */
export function usePlanKeys(parts: Parts): void {
  useKeyHelp(planKeys);
  const latest = useRef(parts);
  latest.current = parts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const command = commandOf(event, latest.current.root.current);
      if (!command) return;
      event.preventDefault();
      perform(command, latest.current);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function commandOf(event: KeyboardEvent, root: HTMLElement | null): Command | undefined {
  const { target, key } = event;
  // A hidden tab has no size.
  if (!isPageKey(event) || !(target instanceof HTMLElement) || !root || root.offsetParent === null) return;
  if (target.dataset['row'] !== undefined && Object.hasOwn(listKeys, key)) return listKeys[key];
  const isHere = isUnclaimed(target) || root.contains(target);
  return areSingleKeysOn() && isHere && Object.hasOwn(singleKeys, key) ? singleKeys[key] : undefined;
}

function perform(command: Command, { search, list, active }: Parts): void {
  const { rows } = list;
  const row = rows[active.index];
  const go = (index: number) => active.focus(rows[Math.min(Math.max(index, 0), rows.length - 1)]?.id);
  // The first key only shows the active line.
  const isFocused =
    document.activeElement instanceof HTMLElement && document.activeElement.dataset['row'] === active.id;
  const actions: Readonly<Record<Command, () => void>> = {
    next: () => go(isFocused ? active.index + 1 : active.index),
    previous: () => go(isFocused ? active.index - 1 : active.index),
    first: () => go(0),
    last: () => go(rows.length - 1),
    open: () => row && (row.isOpen ? isGroup(row) && go(active.index + 1) : list.toggle(row)),
    close: () => row && (row.isOpen ? list.toggle(row) : active.focus(parentOf(rows, active.index)?.id)),
    toggle: () => {
      if (row) list.toggle(row);
      active.focus(active.id);
    },
    nextDestructive: () => active.focus(findNextDestructive(rows, active.index, 1, isFocused)?.id),
    previousDestructive: () => active.focus(findNextDestructive(rows, active.index, -1, isFocused)?.id),
    search: () => {
      search.current?.focus();
      search.current?.select();
    },
    expandAll: () => preserveFocus(active, list.expandAll),
    collapseAll: () => preserveFocus(active, list.collapseAll),
  };
  actions[command]();
}

/** Keeps the active line in view when lines around it open or close. */
export function preserveFocus(active: Pick<ActiveRow, 'id' | 'focus'>, change: () => void): void {
  change();
  active.focus(active.id);
}

const isGroup = (row: Row): boolean => row.type === 'section' || row.type === 'module';

/** Returns the module or section that contains a line. */
const parentOf = (rows: readonly Row[], index: number): Row | undefined => {
  const own = rows[index];
  return rows
    .slice(0, index)
    .findLast((row) => row.type === 'section' || (row.type === 'module' && own !== undefined && row.depth < own.depth));
};

/** Returns the next destroy or replace, wrapping around. */
function findNextDestructive(rows: readonly Row[], from: number, step: 1 | -1, isFocused: boolean): Row | undefined {
  const isWanted = (row: Row) => row.type === 'resource' && row.item.section === 'destroyed';
  const start = isFocused ? 1 : 0;
  for (let away = start; away < rows.length + start; away += 1) {
    const row = rows[(((from + step * away) % rows.length) + rows.length) % rows.length];
    if (row && isWanted(row)) return row;
  }
  return undefined;
}
