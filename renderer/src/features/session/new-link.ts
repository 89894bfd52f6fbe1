import { useEffect } from 'react';

/** Loads the page again when another link is opened in its tab: only the fragment differs, so the browser does not. */
export function useReloadOnNewLink(): void {
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
}
