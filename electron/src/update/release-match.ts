import type { UpdateInfo } from 'electron-updater';
import type { ReleaseRecord } from '#server/index';

/** Update as the channel file of electron-builder announces it. */
type OfferedUpdate = Pick<UpdateInfo, 'version' | 'files'>;

/**
 * Reports whether an update has the version of the signed record, and each of its files the name and digest there. The
 * channel file is not signed; after this, a download with another content is refused by its digest.
 */
export function matchesRecord({ version, files }: OfferedUpdate, record: ReleaseRecord): boolean {
  const digests = new Map(record.files.map(({ name, sha512 }) => [name, sha512]));
  const isListed = ({ url, sha512 }: OfferedUpdate['files'][number]): boolean =>
    digests.has(url) && digests.get(url) === sha512;
  return version === record.version && files.length > 0 && files.every(isListed);
}
