import { useSyncExternalStore } from 'react';

/** Kept under the name of the plan's keys, which were the first that could be turned off. */
const setting = 'plan.singleKeys';
const listeners = new Set<() => void>();

/** Reports whether keys without Control or Command work in this browser (WCAG 2.1.4). */
export const areSingleKeysOn = (): boolean => localStorage.getItem(setting) !== 'off';

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(setting, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, areSingleKeysOn);
