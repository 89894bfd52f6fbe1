import { type BrowserWindow, dialog, shell } from 'electron';
import { texts } from './texts.ts';

/** Opens the app that an install link came from, after the person has seen the whole address and agreed. */
export function confirmOpenApp(window: BrowserWindow, address: string): void {
  const t = texts();
  const answer = dialog.showMessageBoxSync(window, {
    type: 'question',
    title: 'Ground Control',
    message: t.openApp,
    detail: `${t.openAppWhy}\n\n${new URL(address).href}`,
    buttons: [t.open, t.cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  if (answer === 0) shell.openExternal(new URL(address).href).catch(() => undefined);
}
