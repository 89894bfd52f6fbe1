import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Argument by which the system starts the desktop without a window. */
export const hiddenArgument = '--hidden';

/** The part of Electron's `app` that is used. */
type LoginApp = {
  getLoginItemSettings(options?: { args?: string[] }): { openAtLogin: boolean; wasOpenedAtLogin?: boolean };
  setLoginItemSettings(settings: { openAtLogin: boolean; args?: string[] }): void;
};
type LoginHost = {
  app: LoginApp;
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
  /** Program of the installed desktop. */
  program: string;
};
export type LoginItem = {
  isOn(): boolean;
  /** Throws when the system does not store it. */
  set(isOn: boolean): void;
};

/** Returns the login item of the installed desktop. Linux has a file for it, other systems a setting. */
export function createLoginItem({ app, platform, env, home, program }: LoginHost): LoginItem {
  if (platform === 'linux') return fileItem(autostartFile(env, home), env['APPIMAGE'] || program);
  // macOS passes no arguments, and reports at the start how the desktop was opened.
  const args = platform === 'win32' ? { args: [hiddenArgument] } : {};
  return {
    isOn: () => app.getLoginItemSettings(args).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, ...args }),
  };
}

/** Reports whether the system started the desktop at login, so that it opens no window. */
export function isHiddenStart(
  argv: readonly string[],
  { app, platform }: Pick<LoginHost, 'app' | 'platform'>,
): boolean {
  if (argv.includes(hiddenArgument)) return true;
  return platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin === true;
}

/** Path of the file in the autostart folder (Desktop Application Autostart Specification, 0.5). */
function autostartFile(env: NodeJS.ProcessEnv, home: string): string {
  const config = env['XDG_CONFIG_HOME'];
  const base = config && path.isAbsolute(config) ? config : path.join(home, '.config');
  return path.join(base, 'autostart', 'groundctl-desktop.desktop');
}

function fileItem(file: string, program: string): LoginItem {
  return {
    isOn() {
      try {
        return !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(readFileSync(file, 'utf8'));
      } catch {
        return false;
      }
    },
    set(isOn) {
      if (!isOn) return rmSync(file, { force: true });
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, autostartEntry(program), { mode: 0o600 });
    },
  };
}

/** A key of the Desktop Entry Specification 1.5: the program quoted for `Exec`, then escaped as a string. */
export function autostartEntry(program: string): string {
  if (/[\n\r]/.test(program)) throw new Error('The path of the program contains a line break.');
  const quoted = `"${program.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`;
  return `[Desktop Entry]
Type=Application
Name=Ground Control
Exec=${quoted.replaceAll('\\', '\\\\')} ${hiddenArgument}
Terminal=false
`;
}
