/** True where a window or a browser can be shown: a Linux session names its display, a remote shell does not. */
export function hasDisplay(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (platform === 'linux') return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return !env['SSH_CONNECTION'];
}
