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

/** Creates the action behind *Check for Updates*, with the dialogs of the system. */
export function createDesktopUpdates({ log, dataDir, window, stopServer }: DesktopParts): { check(): Promise<void> } {
  const t = texts().update;
  const showDialog = async ({ message, detail = '', buttons = [texts().ok] }: Question): Promise<number> => {
    const parent = window();
    const options = {
      title: t.title,
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: buttons.length - 1,
      noLink: true,
    };
    return (await (parent ? dialog.showMessageBox(parent, options) : dialog.showMessageBox(options))).response;
  };
  return createUpdates({
    t,
    channel: readReleaseChannel(app.getAppPath()),
    installed: installedProduct(),
    fetchRelease,
    judgeRelease,
    openUpdater: (channel) => openUpdater(channel, log),
    showDialog,
    openNotes: (url) => void shell.openExternal(url),
    findSupervisedRuns: () => findSupervisedRuns(dataDir),
    stopServer,
    copyLedger: () => copyStoppedLedger(dataDir),
    startAgain: () => {
      app.relaunch();
      app.exit(0);
    },
  });
}
