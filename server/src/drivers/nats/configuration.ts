import type { Authority, Revocations } from './authority.ts';
import { NatsError } from './nats-error.ts';

type ClusterInput = {
  /** Name of this member; each has another one. */
  serverName: string;
  /** Address and port that the other members connect to. */
  listen: string;
  /** Addresses and ports of the members; its own may be among them. */
  routes: readonly string[];
  /** File of the certificate authority of the members. With `tls`, only members that it signed for are let in. */
  authority?: string | undefined;
};

export type NatsConfigurationInput = {
  /** Address and port that clients connect to, such as `0.0.0.0:4222`. */
  listen: string;
  /** Folder for streams and account JWTs. */
  dataDir: string;
  /** Files with the certificate and key; clients must then use TLS. */
  tls?: { certFile: string; keyFile: string } | undefined;
  /** Set for a member of a cluster. */
  cluster?: ClusterInput | undefined;
  /** Users that are revoked when this is written. Later revocations reach a running server by themselves. */
  revocations?: Revocations | undefined;
  /** Second at which earlier servers were revoked. */
  serversRevokedAt?: number | undefined;
};

const addressPattern = /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+):[0-9]{1,5}$/;

/**
 * Returns the whole configuration of nats-server as text. It contains public keys and signed JWTs only, no secret.
 * Throws `settings_invalid` for an address or path that the format cannot hold.
 */
export function natsConfiguration(authority: Authority, input: NatsConfigurationInput): string {
  const { listen, dataDir, tls, cluster, revocations, serversRevokedAt } = input;
  const { systemKey, serverKey, runnersKey } = authority;
  const lines = [
    `listen: ${quoted(require(addressPattern, listen))}`,
    `operator: ${authority.operatorJwt()}`,
    `system_account: ${systemKey}`,
    `resolver: { type: full, dir: ${quoted(`${dataDir}/accounts`)} }`,
    'resolver_preload: {',
    `  ${systemKey}: ${authority.systemJwt()}`,
    `  ${serverKey}: ${authority.serverJwt(serversRevokedAt)}`,
    `  ${runnersKey}: ${authority.runnersJwt(revocations)}`,
    '}',
    // Offers and journals are acknowledged only when they are on the disk.
    `jetstream: { store_dir: ${quoted(`${dataDir}/streams`)}, sync_interval: always }`,
    ...(tls ? [`tls: { cert_file: ${quoted(tls.certFile)}, key_file: ${quoted(tls.keyFile)} }`] : []),
    ...(cluster ? clusterLines(cluster, tls) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function clusterLines(
  { serverName, listen, routes, authority }: ClusterInput,
  tls: NatsConfigurationInput['tls'],
): string[] {
  // A server that joins a cluster has the rights of every account, so encryption without this check is not offered.
  if ((tls === undefined) !== (authority === undefined) || routes.length === 0) throw new NatsError('settings_invalid');
  const files = tls && authority !== undefined && { ...tls, authority };
  return [
    `server_name: ${quoted(require(/^[0-9A-Za-z._-]{1,64}$/, serverName))}`,
    'cluster: {',
    '  name: groundctl',
    `  listen: ${quoted(require(addressPattern, listen))}`,
    `  routes: [${routes.map((route) => quoted(`nats-route://${require(addressPattern, route)}`)).join(', ')}]`,
    ...(files
      ? [
          `  tls: { cert_file: ${quoted(files.certFile)}, key_file: ${quoted(files.keyFile)}, ca_file: ${quoted(files.authority)}, verify: true }`,
        ]
      : []),
    '}',
  ];
}

function require(pattern: RegExp, text: string): string {
  if (pattern.test(text)) return text;
  throw new NatsError('settings_invalid');
}

/** Quotes a text. The format expands variables and escapes outside of single quotes only. */
function quoted(text: string): string {
  if (/['\n\r]/.test(text)) throw new NatsError('settings_invalid');
  return `'${text}'`;
}
