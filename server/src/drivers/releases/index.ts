export { fetchRelease } from './fetch-release.ts';
export { type Installed, judgeRelease, type ReleaseVerdict } from './judge-release.ts';
export { type ReleaseChannel, readReleaseChannel } from './release-channel.ts';
export {
  ReleaseError,
  type ReleaseFile,
  type ReleaseRecord,
  recordName,
  signRecord,
  type UnsignedRecord,
} from './release-record.ts';
