import { useSyncExternalStore } from 'react';
import { numberText } from './number-text.ts';

let shownCount = '';
const listeners = new Set<() => void>();

/** Sets the number that the title of the tab begins with; without one, nothing waits. */
export function setTitleCount(count: number, isMore: boolean): void {
  const text = count === 0 ? '' : `(${numberText(count)}${isMore ? '+' : ''}) `;
  if (text === shownCount) return;
  shownCount = text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Title of the tab: what waits for the person, the page and the product. */
export function DocumentTitle({ title }: { title?: string }) {
  const count = useSyncExternalStore(subscribe, () => shownCount);
  return <title>{`${count}${title === undefined ? '' : `${title} · `}Ground Control`}</title>;
}
