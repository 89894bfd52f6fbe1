/** The part of Electron's `app` that is used. */
type NamedApp = { setAppUserModelId(id: string): void; setDesktopName(name: string): void };

/**
 * Names the program as its packages do, before the application is ready. Windows shows notifications, and Linux the
 * badge, only for a program that they find by this name.
 */
export function nameProgram(app: NamedApp, platform: NodeJS.Platform): void {
  if (platform === 'win32') app.setAppUserModelId('dev.groundctl.desktop');
  if (platform === 'linux') app.setDesktopName('groundctl.desktop');
}
