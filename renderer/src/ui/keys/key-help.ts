import { useEffect, useSyncExternalStore } from 'react';
import type { TextId } from '../../i18n/text.ts';

/** Keys that do the same, or that are pressed one after the other, and what they do. */
export type KeyLine = { keys: readonly string[]; joint?: 'together' | 'then'; text: TextId };
/** Keys of a part of the page. The same group is shown once, however often its part is on the page. */
export type KeyGroup = { title: TextId; lines: readonly KeyLine[] };

let mounted: readonly KeyGroup[] = [];
let isSheetOpen = false;
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Lists keys in the sheet of the page while the component is mounted. */
export function useKeyHelp(group: KeyGroup): void {
  useEffect(() => {
    mounted = [...mounted, group];
    notify();
    return () => {
      mounted = mounted.toSpliced(mounted.indexOf(group), 1);
      notify();
    };
  }, [group]);
}

/** Returns the groups of keys that work on the page. */
export const useKeyGroups = (): readonly KeyGroup[] => [...new Set(useSyncExternalStore(subscribe, () => mounted))];

export function showKeySheet(isOpen: boolean): void {
  isSheetOpen = isOpen;
  notify();
}
export const useKeySheet = (): boolean => useSyncExternalStore(subscribe, () => isSheetOpen);

export const listKeys: KeyGroup = {
  title: 'keys.list',
  lines: [
    { keys: ['j', 'k', '↓', '↑'], text: 'keys.list.move' },
    { keys: ['Enter', 'o'], text: 'keys.list.open' },
    { keys: ['Home', 'End'], text: 'keys.list.ends' },
  ],
};
export const filterKeys: KeyGroup = {
  title: 'keys.filter',
  lines: [
    { keys: ['/'], text: 'keys.filter.focus' },
    { keys: ['Enter'], text: 'keys.filter.row' },
    { keys: ['Esc'], text: 'keys.filter.leave' },
  ],
};
