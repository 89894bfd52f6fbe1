const storageKey = 'groundctl.loadedAnew';
const pauseMs = 30_000;

/**
 * Reloads the page when one of its chunks is missing, because an update of the server removed the files of an open tab.
 * At most once in 30 seconds, so that a server without the file does not cause an endless loop.
 */
export function reloadWhenOutdated(): void {
  addEventListener('vite:preloadError', () => {
    if (Date.now() - Number(sessionStorage.getItem(storageKey)) < pauseMs) return;
    sessionStorage.setItem(storageKey, String(Date.now()));
    location.reload();
  });
}
