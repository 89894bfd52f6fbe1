type TrayHost = { platform: NodeJS.Platform; env: NodeJS.ProcessEnv };

/** Desktops of Linux that show icons of programs. GNOME has an extension for it, which Ubuntu turns on. */
const withIcons = ['KDE', 'XFCE', 'LXQt', 'MATE', 'X-Cinnamon', 'Cinnamon', 'Budgie', 'DDE', 'Unity', 'ubuntu'];

/**
 * Reports whether a person sees an icon in the tray. Electron does not report whether a Linux desktop shows one, so only
 * desktops that are known to do so count. `GROUNDCTL_TRAY` is `on` or `off` where this is wrong.
 */
export function hasTray({ platform, env }: TrayHost): boolean {
  if (env['GROUNDCTL_TRAY'] === 'on' || env['GROUNDCTL_TRAY'] === 'off') return env['GROUNDCTL_TRAY'] === 'on';
  if (platform !== 'linux') return true;
  const desktops = (env['XDG_CURRENT_DESKTOP'] ?? '').toLowerCase().split(':');
  return withIcons.some((name) => desktops.includes(name.toLowerCase()));
}
