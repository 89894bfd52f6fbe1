import type { ReleaseChannel } from '#server/index';

/**
 * Origin of this program. Only a `signed` one names the channel of its releases and their key, so only that one can be
 * updated.
 */
export type PackageOrigin = 'signed' | 'unsigned' | 'sources';

type Facts = { isPackaged: boolean; channel: ReleaseChannel | undefined };

export function packageOrigin({ isPackaged, channel }: Facts): PackageOrigin {
  if (!isPackaged) return 'sources';
  return channel ? 'signed' : 'unsigned';
}
