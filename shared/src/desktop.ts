import type { VaultStatus } from './keys/contract.ts';

/** IPC channels by which the dashboard calls the desktop. Only for actions that no HTTP request can do. */
export type DesktopCalls = {
  /** Asks the person for a folder. Returns its absolute path, or null when the person cancels. */
  'desktop:open-folder': () => string | null;
  /** Returns a new one-time link that signs the local owner in. The window opens it when the session has ended. */
  'desktop:new-sign-in-link': () => string;
  'desktop:version': () => string;
  /**
   * Tries to open the vault for the person at this machine: with a passphrase, or with '' by asking the keychain or key
   * file again. Returns its state; a wrong passphrase is a reason there.
   */
  'desktop:unseal': (passphrase: string) => VaultStatus;
};
export type DesktopChannel = keyof DesktopCalls;

/** The same interface as the page sees it, under `desktopName` of its window. Absent in a browser. */
export type DesktopBridge = {
  openFolder(): Promise<string | null>;
  newSignInLink(): Promise<string>;
  version(): Promise<string>;
  unseal(passphrase: string): Promise<VaultStatus>;
  /** Returns the absolute path of a file or folder that was dropped on the page; '' when it has none. */
  droppedPath(file: unknown): string;
};

export const desktopName = 'groundControlDesktop';

/** Returns the desktop around a page; undefined in a browser. */
export const findDesktop = (page: object): DesktopBridge | undefined =>
  (page as { [desktopName]?: DesktopBridge })[desktopName];
