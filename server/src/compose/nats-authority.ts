import { readAuthorityFile } from '../drivers/nats/index.ts';
import type { Settings } from '../kernel/settings.ts';

/**
 * Reads the certificate authority of NATS as PEM. Undefined for addresses without TLS, where the file is for Git, mail
 * and webhooks alone, and without a file: the authorities of the system count then. Throws `StartError`.
 */
export function readNatsAuthority({ nats, caFile }: Pick<Settings, 'nats' | 'caFile'>): string | undefined {
  if (caFile === undefined || !nats?.urls.some((url) => url.startsWith('tls:'))) return undefined;
  return readAuthorityFile('GROUNDCTL_CA_FILE', caFile);
}
