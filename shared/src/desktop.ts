/** What the dashboard may ask of the desktop around it, by IPC channel: only what no HTTP request can do. */
export type DesktopCalls = {
  /** Asks the person for a folder; its absolute path, or null when they chose none. */
  'desktop:open-folder': () => string | null;
  /** A fresh one-time link that signs the local owner in; opened in the window when the session is gone. */
  'desktop:new-sign-in-link': () => string;
  'desktop:version': () => string;
};
export type DesktopChannel = keyof DesktopCalls;

/** The same as the page sees it, under `desktopName` of its window. A browser has none. */
export type DesktopBridge = {
  openFolder(): Promise<string | null>;
  newSignInLink(): Promise<string>;
  version(): Promise<string>;
  /** Absolute path of a file or folder that was dropped on the page; '' when it has none. */
  droppedPath(file: unknown): string;
};

export const desktopName = 'groundControlDesktop';

/** The desktop around a page; undefined in a browser. */
export const findDesktop = (page: object): DesktopBridge | undefined =>
  (page as { [desktopName]?: DesktopBridge })[desktopName];
