import { type Environment, findSetting, SettingError, whole } from './settings-read.ts';

const urlName = 'GROUNDCTL_NATS_URL';
const replicasName = 'GROUNDCTL_NATS_REPLICAS';
/** More members do not fit into an enrolment. */
const maxAddresses = 16;
/** Members that a stream is copied to, and the number of addresses from which that is the default. */
const usualReplicas = 3;

/** Number of members of NATS that have a copy of every message. */
export type NatsReplicas = {
  count: number;
  /** True when the operator has named the number. Streams that have more copies keep them otherwise. */
  isNamed: boolean;
};

export type NatsSettings = {
  /** Addresses of the members of one cluster, without a path and in lower case. */
  urls: readonly string[];
  replicas: NatsReplicas;
};

/** Reads the settings of NATS; undefined when the operator configured none. Throws `SettingError`. */
export function readNats(env: Environment): NatsSettings | undefined {
  const text = findSetting(env, urlName);
  if (text !== undefined) {
    const urls = parseNatsAddresses(urlName, text);
    return { urls, replicas: readReplicas(env, urls.length) };
  }
  if (findSetting(env, replicasName) === undefined) return undefined;
  throw new SettingError(`${replicasName} needs ${urlName}.`);
}

function readReplicas(env: Environment, addresses: number): NatsReplicas {
  const text = findSetting(env, replicasName);
  if (text === undefined) return { count: addresses >= usualReplicas ? usualReplicas : 1, isNamed: false };
  if (!/^[135]$/.test(text)) throw new SettingError(`${replicasName} must be 1, 3 or 5.`);
  return { count: Number(text), isNamed: true };
}

/**
 * Reads the addresses of the members of one cluster, separated by commas. Throws `SettingError`, whose sentence begins
 * with `name`, also for credentials in an address: the server makes its own.
 */
export function parseNatsAddresses(name: string, text: string): readonly string[] {
  const urls = text.split(',').map((address) => parseAddress(name, address.trim()));
  // With a mixture an attacker would only have to block the members that are encrypted.
  if (new Set(urls.map((url) => url.startsWith('tls:'))).size > 1)
    throw new SettingError(`${name} must not mix tls:// and nats://. Give all members certificates and use tls://.`);
  if (new Set(urls).size < urls.length) throw new SettingError(`${name} must name each address once.`);
  if (urls.length > maxAddresses) throw new SettingError(`${name} must have at most ${maxAddresses} addresses.`);
  return urls;
}

function parseAddress(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.pathname === '' || url?.pathname === '/';
  const isNats = url?.protocol === 'nats:' || url?.protocol === 'tls:';
  if (!url || !isNats || !url.hostname || !isPlain || url.username || url.password || url.search || url.hash)
    throw new SettingError(
      `${name} must be nats://HOST or tls://HOST, with a port where it is not 4222, and without a user or password. Separate the members of a cluster with commas.`,
    );
  return `${url.protocol}//${url.hostname.toLowerCase()}:${url.port || '4222'}`;
}

/** Reads the time of a lease in milliseconds. Machines report six times in it. */
export const readRunnerLease = (env: Environment): number =>
  1_000 *
  whole('GROUNDCTL_RUNNER_LEASE_SECONDS', env['GROUNDCTL_RUNNER_LEASE_SECONDS'], { min: 3, max: 600, fallback: 30 });
