import type { AppUpdater, UpdateInfo } from 'electron-updater';
import type { Log, ReleaseChannel, ReleaseRecord } from '#server/index';
import { matchesRecord } from './release-match.ts';

/** The installer of updates, for one signed release. */
export type Updater = {
  /**
   * `offered` can be downloaded. `waiting` is a release that is not rolled out to this machine yet. `other` is one that
   * differs from the signed record.
   */
  check(record: ReleaseRecord): Promise<'offered' | 'waiting' | 'other'>;
  /** Downloads the offered update and compares its digest. */
  download(): Promise<void>;
  /**
   * Ends this process and starts the installed update. The server has to be stopped before. Rejects when the installer
   * fails, and is pending until the process has ended otherwise.
   */
  install(): Promise<void>;
};

/** Creates the updater of this package. Loaded when it is used: most starts need none. */
export async function openUpdater(channel: ReleaseChannel, log: Log): Promise<Updater> {
  const isAppImage = process.platform === 'linux' && process.env['APPIMAGE'] !== undefined;
  const updater = isAppImage
    ? new (await import('./app-image-updater.ts')).WholeAppImageUpdater()
    : (await import('electron-updater')).autoUpdater;
  return wrapUpdater(updater, { channel, log });
}

type Options = { channel: ReleaseChannel; log: Log };

/** Nothing is downloaded or installed without a call, and never an older version. */
export function wrapUpdater(updater: AppUpdater, { channel, log }: Options): Updater {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.logger = {
    info: () => undefined,
    warn: (message: unknown) => log.warn({ message: String(message) }, 'the updater warns'),
    error: (message: unknown) => log.warn({ message: String(message) }, 'the updater failed'),
  };
  updater.setFeedURL({ provider: 'generic', url: channel.url, useMultipleRangeRequest: false });
  return {
    async check(record) {
      let isSigned = false;
      updater.isUpdateSupported = (info: UpdateInfo) => {
        isSigned = matchesRecord(info, record);
        return isSigned;
      };
      const found = await updater.checkForUpdates();
      if (found?.isUpdateAvailable) return 'offered';
      return isSigned ? 'waiting' : 'other';
    },
    async download() {
      await updater.downloadUpdate();
    },
    install: () =>
      new Promise((_, reject) => {
        // electron-updater reports the failure of an installer by an event, and this process goes on.
        updater.once('error', reject);
        updater.quitAndInstall();
      }),
  };
}
