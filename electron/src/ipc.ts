import { ipcMain, type WebFrameMain } from 'electron';
import type { DesktopCalls, DesktopChannel } from '#shared/desktop';
import { decideNavigation } from './navigation.ts';

type DesktopHandlers = {
  [C in DesktopChannel]: () => ReturnType<DesktopCalls[C]> | Promise<ReturnType<DesktopCalls[C]>>;
};

/** Answers the channels of the desktop, only for the dashboard's own page. */
export function installIpc(origin: string, handlers: DesktopHandlers): void {
  for (const [channel, handle] of Object.entries(handlers)) {
    ipcMain.handle(channel, ({ senderFrame }) => {
      if (!isOwnPage(senderFrame, origin)) throw new Error('Only the dashboard itself may ask the desktop.');
      return handle();
    });
  }
}

/** A frame inside a page, or a page of another origin, is not the dashboard. */
const isOwnPage = (frame: WebFrameMain | null, origin: string): boolean =>
  frame !== null && frame.parent === null && decideNavigation(frame.url, origin) === 'inside';
