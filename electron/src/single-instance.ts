import { app } from 'electron';

/** True for the first desktop of this account; a later one ends, and the first is told so and how that was started. */
export function claimSingleInstance(onSecond: (event: unknown, argv: string[]) => void): boolean {
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return false;
  }
  app.on('second-instance', onSecond);
  return true;
}
