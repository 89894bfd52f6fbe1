import { addressList } from './address-list.ts';
import { type Environment, findSetting, listed, pathOf, SettingError, whole } from './settings-read.ts';

/** Settings of how the server is reached. */
export type Ingress = {
  /** `{base_url}` when the server's public name differs from its bind address. */
  publicUrl: string | undefined;
  /** Addresses and networks of the reverse proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** True when only this machine reaches the server: a loopback address, no proxy, no public name. */
  isLocal: boolean;
  /** PEM files of the server's own certificate and its key. */
  tls: { certFile: string; keyFile: string } | undefined;
  /** Port of a separate loopback listener for the operator's routes; 0 lets the system choose. */
  operatorPort: number | undefined;
};

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/;
export const isLoopbackHost = (host: string): boolean => loopback.test(host);

function publicUrlOf(env: Environment): string | undefined {
  const text = env['GROUNDCTL_PUBLIC_URL'];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new SettingError('GROUNDCTL_PUBLIC_URL must be an origin such as https://ground.example, without a path.');
  }
  return url.origin;
}

function trustedProxiesOf(env: Environment): string[] {
  const entries = listed(env, 'GROUNDCTL_TRUST_PROXY');
  try {
    addressList(entries);
    return entries;
  } catch {
    throw new SettingError(
      'GROUNDCTL_TRUST_PROXY must list the addresses of your proxies, separated by commas, such as 127.0.0.1,10.0.0.0/8.',
    );
  }
}

function tlsOf(env: Environment): Ingress['tls'] {
  const [certFile, keyFile] = [pathOf(env, 'GROUNDCTL_TLS_CERT'), pathOf(env, 'GROUNDCTL_TLS_KEY')];
  if (certFile && keyFile) return { certFile, keyFile };
  if (!certFile && !keyFile) return undefined;
  throw new SettingError('GROUNDCTL_TLS_CERT and GROUNDCTL_TLS_KEY belong together. Set both, or none of them.');
}

/**
 * Reads the settings of address, certificate and proxies. Together they must not expose a server unencrypted on a
 * network. Throws `SettingError`.
 */
export function readIngress(env: Environment, host: string): Ingress {
  const publicUrl = publicUrlOf(env);
  const trustedProxies = trustedProxiesOf(env);
  const tls = tlsOf(env);
  const isBehindProxy = trustedProxies.length > 0;
  if (!isLoopbackHost(host) && (publicUrl === undefined || !(tls || isBehindProxy)))
    throw new SettingError(
      `${host} is reached from other machines. Set GROUNDCTL_PUBLIC_URL to the address people use, and either GROUNDCTL_TLS_CERT with GROUNDCTL_TLS_KEY or, behind a proxy that has the certificate, GROUNDCTL_TRUST_PROXY. Or use 127.0.0.1.`,
    );
  if (tls && publicUrl?.startsWith('http:') && !isBehindProxy)
    throw new SettingError(
      'GROUNDCTL_TLS_CERT is set, but GROUNDCTL_PUBLIC_URL begins with http. Begin it with https, or take the certificate away.',
    );
  const isPublicName = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  return {
    publicUrl,
    trustedProxies,
    isLocal: isLoopbackHost(host) && !isBehindProxy && !isPublicName,
    tls,
    operatorPort: findSetting(env, 'GROUNDCTL_OPERATOR_PORT')
      ? whole('GROUNDCTL_OPERATOR_PORT', env['GROUNDCTL_OPERATOR_PORT'], { min: 0, max: 65_535, fallback: 0 })
      : undefined,
  };
}
