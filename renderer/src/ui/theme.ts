import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the chosen theme, `system` unless another was chosen in this browser. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);

/** Stores the theme and applies it; `system` follows the operating system while the page is open. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  showTheme();
  for (const listener of listeners) listener();
}

export function showTheme(): void {
  const theme = readTheme();
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', showTheme);
