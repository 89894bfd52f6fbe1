import { type BrowserWindow, dialog } from 'electron';

type Question = { message: string; detail: string; action: string; cancel: string };

/** Asks the person in a dialog of the system, with Cancel as the default. */
export async function confirm(window: BrowserWindow, { message, detail, action, cancel }: Question): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    title: 'Ground Control',
    message,
    detail,
    buttons: [action, cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
