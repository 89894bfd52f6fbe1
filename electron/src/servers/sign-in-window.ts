import { guardSignInContents } from './contents.ts';
import { openPageWindow, type PageWindow } from './page-window.ts';
import { serverTexts } from './texts.ts';

type SignInWindowOptions = {
  partition: string;
  origin: string;
  name(): string;
  /** Called with the first page of the server after the sign-in. */
  onReturn(address: string): void;
};

/** The window in which the provider of a server signs the person in, in the partition of the server. */
export function createSignInWindow({ partition, origin, name, onReturn }: SignInWindowOptions) {
  let current: PageWindow | undefined;
  const close = () => current?.window.close();

  function open(address: string): void {
    close();
    const page = openPageWindow({ partition, width: 640, height: 760 });
    current = page;
    page.window.once('closed', () => {
      if (current === page) current = undefined;
    });
    const title = serverTexts().signInTitle(name());
    const label = (at: string) => page.label({ name: title, origin: new URL(at).origin }, title);
    guardSignInContents(page.contents, origin, (back) => {
      page.window.close();
      onReturn(back);
    });
    page.contents.on('did-start-navigation', ({ isMainFrame, isSameDocument, url }) => {
      if (isMainFrame && !isSameDocument) label(url);
    });
    label(address);
    page.contents.loadURL(address).catch(() => undefined);
  }
  return {
    open,
    close,
    hide: () => current?.window.hide(),
    /** Reports whether a page is that of the provider. */
    isPage: (webContentsId: number | undefined): boolean =>
      webContentsId !== undefined && current?.contents.id === webContentsId,
  };
}
