const storageKey = 'groundctl.loadedAnew';
const pauseMs = 30_000;

/**
 * Loads the page anew when a part of it is not there: after an update of the server the files of an open tab have gone.
 * Once in 30 seconds at most, so that a server without the file is not asked for ever.
 */
export function reloadWhenOutdated(): void {
  addEventListener('vite:preloadError', () => {
    if (Date.now() - Number(sessionStorage.getItem(storageKey)) < pauseMs) return;
    sessionStorage.setItem(storageKey, String(Date.now()));
    location.reload();
  });
}
