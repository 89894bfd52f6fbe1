const place = 'groundctl.loadedAnew';
const pauseMs = 30_000;

/**
 * Loads the page anew when a part of it is not there: after an update of the server the files of an open tab have gone.
 * Once in 30 seconds at most, so that a server without the file is not asked for ever.
 */
export function loadAnewWhenOutdated(): void {
  addEventListener('vite:preloadError', () => {
    if (Date.now() - Number(sessionStorage.getItem(place)) < pauseMs) return;
    sessionStorage.setItem(place, String(Date.now()));
    location.reload();
  });
}
