import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Settings of the desktop itself. "Start at login" is not among them: the system stores it. */
export type DesktopSettings = {
  /** Closing the window leaves the desktop in the tray. */
  keepsRunning: boolean;
  /** The person was shown once that the desktop keeps running. */
  hasExplained: boolean;
  /** Looks for updates when the desktop starts. */
  checksForUpdates: boolean;
};

const defaults: DesktopSettings = { keepsRunning: true, hasExplained: false, checksForUpdates: false };

/** Reads the settings of a file; a missing or damaged one, or a member of another type, counts as the default. */
export function readDesktopSettings(file: string): DesktopSettings {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<keyof DesktopSettings, unknown>>;
    return {
      keepsRunning: stored.keepsRunning !== false,
      hasExplained: stored.hasExplained === true,
      checksForUpdates: stored.checksForUpdates === true,
    };
  } catch {
    return defaults;
  }
}

/** Replaces the file. Throws when it cannot be written; the previous settings are then unchanged. */
export function writeDesktopSettings(file: string, settings: DesktopSettings): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(settings)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
