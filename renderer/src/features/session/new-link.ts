import { useEffect } from 'react';

/** Reloads the page when another link is opened in its tab. Only the fragment differs, so the browser does not. */
export function useReloadOnNewLink(): void {
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
}
