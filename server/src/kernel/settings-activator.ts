import { type Environment, findSetting, SettingError } from './settings-read.ts';

/** Address and bearer token of the operator's release activator. */
export type ReleaseActivator = { url: string; token: string };

/** Reads the release activator; undefined when there is none. Both settings belong together. */
export function readReleaseActivator(env: Environment, isLocal: boolean): ReleaseActivator | undefined {
  const url = findSetting(env, 'SVC_RELEASE_ACTIVATOR_URL');
  const token = findSetting(env, 'SVC_RELEASE_ACTIVATOR_TOKEN');
  if (url === undefined && token === undefined) return undefined;
  if (url === undefined || token === undefined)
    throw new SettingError('Set SVC_RELEASE_ACTIVATOR_URL and SVC_RELEASE_ACTIVATOR_TOKEN together, or neither.');
  const { protocol, username, password, hash } = URL.canParse(url) ? new URL(url) : noUrl;
  if (!['https:', ...(isLocal ? ['http:'] : [])].includes(protocol))
    throw new SettingError(
      'SVC_RELEASE_ACTIVATOR_URL must be an https address; http is accepted on a local server only.',
    );
  if (username !== '' || password !== '' || hash !== '')
    throw new SettingError('SVC_RELEASE_ACTIVATOR_URL must not hold credentials or a fragment.');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SettingError('SVC_RELEASE_ACTIVATOR_TOKEN must consist of printable ASCII characters without spaces.');
  return { url, token };
}

const noUrl = { protocol: '', username: '', password: '', hash: '' };
