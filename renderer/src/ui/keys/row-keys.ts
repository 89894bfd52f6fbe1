import type { KeyboardEvent } from 'react';
import { areSingleKeysOn } from './single-keys.ts';

/** Attribute of a list whose rows have one `[data-row]` link each. */
export const rowListMark = { 'data-row-list': '' } as const;

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

const rowsIn = (element: ParentNode): HTMLElement[] => [...element.querySelectorAll<HTMLElement>('[data-row]')];

const isLetter = (key: string): boolean => [...key].length === 1;

/** Down and up, or j and k, move between rows; Home and End move to the first and last; o opens. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
  const rows = rowsIn(event.currentTarget);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at < 0 || (isLetter(event.key) && !areSingleKeysOn())) return;
  const step = steps[event.key];
  if (event.key === 'o') rows[at]?.click();
  else if (event.key === 'Home') rows[0]?.focus();
  else if (event.key === 'End') rows.at(-1)?.focus();
  else if (step !== undefined && rows[at + step]) rows[at + step]?.focus();
  // Behind its last row a list leaves the key to the page, which goes on in the next list.
  else return;
  event.preventDefault();
}

/** Moves to the next or previous row of all lists of the page, or to the first one. Returns false without a row. */
export function moveOnPage(key: string, page: ParentNode): boolean {
  const step = steps[key];
  if (step === undefined) return false;
  const lists = [...page.querySelectorAll<HTMLElement>('[data-row-list]')].filter((list) => list.offsetParent !== null);
  const rows = lists.flatMap(rowsIn);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  // Without a row the arrows scroll the page.
  if (at < 0 && !isLetter(key)) return false;
  const next = at < 0 ? rows[0] : rows[at + step];
  next?.focus();
  return next !== undefined;
}
