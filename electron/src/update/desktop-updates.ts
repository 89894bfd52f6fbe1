import { app, type BrowserWindow, dialog, shell } from 'electron';
import {
  copyStoppedLedger,
  fetchRelease,
  findSupervisedRuns,
  installedProduct,
  judgeRelease,
  type Log,
  readReleaseChannel,
} from '#server/index';
import { texts } from '../texts.ts';
import { packageOrigin } from './package-origin.ts';
import { openUpdater } from './updater.ts';
import { createUpdates, type Question } from './updates.ts';

type DesktopParts = {
  log: Log;
  dataDir: string;
  /** Window for the dialogs, while there is one. */
  window(): BrowserWindow | undefined;
  /** Stops the server for the installation; this process ends after it. */
  stopServer(): Promise<void>;
};

export type DesktopUpdates = ReturnType<typeof createDesktopUpdates>;

/** Creates the actions behind *Check for Updates* and *About*, with the dialogs of the system. */
export function createDesktopUpdates({ log, dataDir, window, stopServer }: DesktopParts) {
  const t = texts().update;
  const channel = readReleaseChannel(app.getAppPath());
  const origin = packageOrigin({ isPackaged: app.isPackaged, channel });
  const showDialog = async ({
    title = t.title,
    message,
    detail = '',
    buttons = [texts().ok],
  }: Shown): Promise<number> => {
    const parent = window();
    const options = {
      title,
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: buttons.length - 1,
      noLink: true,
    };
    // A dialog of a hidden window could be hidden with it.
    return (await (parent?.isVisible() ? dialog.showMessageBox(parent, options) : dialog.showMessageBox(options)))
      .response;
  };
  const updates = createUpdates({
    t,
    channel,
    origin,
    installed: installedProduct(),
    fetchRelease,
    judgeRelease,
    openUpdater: (channel) => openUpdater(channel, log),
    showDialog,
    reportNone: ({ message, detail }) => log.info({ detail }, `no update at the start: ${message}`),
    openNotes: (url) => void shell.openExternal(url).catch(() => undefined),
    findSupervisedRuns: () => findSupervisedRuns(dataDir),
    stopServer,
    copyLedger: () => copyStoppedLedger(dataDir),
    startAgain: () => {
      app.relaunch();
      app.exit(0);
    },
  });
  return {
    ...updates,
    /** Reports whether this package can be updated. */
    isUpdatable: origin === 'signed',
    /** Says which version this is, and whether its package is signed. */
    async showAbout(): Promise<void> {
      const detail = `${t.origins[origin]}\n\n${t.dataFolder}: ${dataDir}`;
      await showDialog({ title: texts().about, message: `Ground Control ${app.getVersion()}`, detail });
    },
  };
}

type Shown = Question & { title?: string };
