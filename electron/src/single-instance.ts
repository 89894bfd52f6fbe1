import { app } from 'electron';

/**
 * True for the first desktop of this account. A later one exits, and the first is notified with the arguments of the
 * later one.
 */
export function claimSingleInstance(onSecond: (event: unknown, argv: string[]) => void): boolean {
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return false;
  }
  app.on('second-instance', onSecond);
  return true;
}
