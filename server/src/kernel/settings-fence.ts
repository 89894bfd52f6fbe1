import { isLoopbackHost } from './settings-ingress.ts';
import { type Environment, findSetting, pathOf, SettingError, whole } from './settings-read.ts';

/** Settings of the fence: an object in a bucket that names the server that may write. */
export type FenceSettings = BucketLocation & {
  region: string;
  /** JSON file with `accessKeyId`, `secretAccessKey` and, for temporary keys, `sessionToken`. */
  keyFile: string;
  /** Time for which an apply waits for an answer of the bucket. */
  waitMs: number;
};

const urlMessage =
  'GROUNDCTL_FENCE_URL must be https://HOST/BUCKET or https://HOST/BUCKET/PREFIX, without keys; http is only for this machine.';

/** Reads the settings of the fence: `nats` names the server of GROUNDCTL_NATS_URL. Undefined without one. Throws `SettingError`. */
export function readFence(env: Environment): FenceSettings | 'nats' | undefined {
  const text = findSetting(env, 'GROUNDCTL_FENCE_URL');
  const keyFile = pathOf(env, 'GROUNDCTL_FENCE_KEY_FILE');
  if (text === 'nats') {
    if (keyFile === undefined && findSetting(env, 'GROUNDCTL_NATS_URL') !== undefined) return 'nats';
    throw new SettingError('GROUNDCTL_FENCE_URL=nats needs GROUNDCTL_NATS_URL, and no GROUNDCTL_FENCE_KEY_FILE.');
  }
  if (text === undefined && keyFile === undefined) return undefined;
  if (text === undefined || keyFile === undefined)
    throw new SettingError('Set GROUNDCTL_FENCE_URL and GROUNDCTL_FENCE_KEY_FILE together, or neither.');
  const minutes = whole('GROUNDCTL_FENCE_WAIT_MINUTES', env['GROUNDCTL_FENCE_WAIT_MINUTES'], {
    min: 1,
    max: 1_440,
    fallback: 15,
  });
  const region = regionOf(env, 'GROUNDCTL_FENCE_REGION');
  const location = findBucketLocation(text);
  if (!location) throw new SettingError(urlMessage);
  return { ...location, region, keyFile, waitMs: minutes * 60_000 };
}

export function regionOf(env: Environment, name: string): string {
  const region = findSetting(env, name) ?? 'us-east-1';
  if (/^[A-Za-z0-9-]{1,64}$/.test(region)) return region;
  throw new SettingError(`${name} must be a region such as eu-central-1.`);
}

/** Location of objects: origin of the object storage, bucket, and start of their keys. */
export type BucketLocation = { endpoint: string; bucket: string; prefix: string };

/** Reads `https://HOST/BUCKET/PREFIX`; undefined for anything else. */
export function findBucketLocation(text: string): BucketLocation | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  const path = /^\/([A-Za-z0-9][A-Za-z0-9._-]{1,62})(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(url?.pathname ?? '');
  if (!url || !isAllowed || !isPlain || !path) return undefined;
  return { endpoint: url.origin, bucket: path[1] ?? '', prefix: (path[2] ?? '').replace(/\/$/, '') };
}
