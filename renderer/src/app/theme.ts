export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const key = 'theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

/** Stores the theme and applies it; `system` follows the operating system while the page is open. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  showTheme();
}

export function showTheme(): void {
  const theme = readTheme();
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', showTheme);
