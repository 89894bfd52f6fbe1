import { type Environment, findSetting, SettingError, whole } from './settings-read.ts';

const name = 'GROUNDCTL_NATS_URL';

/**
 * Reads the address of the NATS server, without a path and in lower case; undefined when the operator configured none.
 * Throws `SettingError`, also for credentials in it: the server makes its own.
 */
export function readNatsUrl(env: Environment): string | undefined {
  const text = findSetting(env, name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.pathname === '' || url?.pathname === '/';
  const isNats = url?.protocol === 'nats:' || url?.protocol === 'tls:';
  if (!url || !isNats || !url.hostname || !isPlain || url.username || url.password || url.search || url.hash)
    throw new SettingError(
      `${name} must be nats://HOST or tls://HOST, with a port where it is not 4222, and without a user or password.`,
    );
  return `${url.protocol}//${url.hostname.toLowerCase()}:${url.port || '4222'}`;
}

/** Reads the time of a lease in milliseconds. Machines report six times in it. */
export const readRunnerLease = (env: Environment): number =>
  1_000 *
  whole('GROUNDCTL_RUNNER_LEASE_SECONDS', env['GROUNDCTL_RUNNER_LEASE_SECONDS'], { min: 3, max: 600, fallback: 30 });
