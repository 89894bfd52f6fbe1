import { ipcMain, type WebFrameMain } from 'electron';
import type { DesktopCalls, DesktopChannel } from '#shared/desktop';
import { decideNavigation } from './navigation.ts';

type DesktopHandlers = {
  [C in DesktopChannel]: (
    ...args: Parameters<DesktopCalls[C]>
  ) => ReturnType<DesktopCalls[C]> | Promise<ReturnType<DesktopCalls[C]>>;
};

const unsealChannel = 'desktop:unseal' satisfies DesktopChannel;
const maxPassphraseLength = 1_024;

/** Answers the channels of the desktop, only for the dashboard's own page. Only one of them takes something from it. */
export function installIpc(origin: string, { [unsealChannel]: unseal, ...handlers }: DesktopHandlers): void {
  const answer = (channel: string, handle: (sent: unknown) => unknown) =>
    ipcMain.handle(channel, ({ senderFrame }, sent: unknown) => {
      if (!isOwnPage(senderFrame, origin)) throw new Error('Only the dashboard itself may use the desktop.');
      return handle(sent);
    });
  for (const [channel, handle] of Object.entries(handlers)) answer(channel, () => handle());
  answer(unsealChannel, (sent) => {
    if (typeof sent !== 'string' || sent.length > maxPassphraseLength)
      throw new Error(`A passphrase is a text of at most ${maxPassphraseLength} characters.`);
    return unseal(sent);
  });
}

/** A frame inside a page, or a page of another origin, is not the dashboard. */
const isOwnPage = (frame: WebFrameMain | null, origin: string): boolean =>
  frame !== null && frame.parent === null && decideNavigation(frame.url, origin) === 'inside';
