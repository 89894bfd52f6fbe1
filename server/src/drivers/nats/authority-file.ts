import { X509Certificate } from 'node:crypto';
import { readNamedFile } from '#server/kernel/plain-file';
import { StartError } from '#server/kernel/start-error';

/** Length of a pinned authority, which every enrolment contains: about forty certificates. */
export const maxAuthorityChars = 65_536;
/** Size of a file with certificates, which may be the bundle of a system. */
const maxFileBytes = 2_097_152;

const certificates = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of the authority of NATS as PEM, and nothing else that the file has, such as a private key.
 * Throws `StartError`, whose sentence begins with `name`.
 */
export function readAuthorityFile(name: string, file: string): string {
  const text = readText(file);
  if (text === undefined)
    throw new StartError(`${name} must name a file of at most 2 MiB. Check its path, and that this user may read it.`);
  const found = text.match(certificates) ?? [];
  if (found.length === 0 || !found.every(isCertificate))
    throw new StartError(
      `${name} must name a PEM file with the certificate of the authority that signed that of NATS.`,
    );
  const pem = `${found.join('\n')}\n`;
  if (pem.length > maxAuthorityChars)
    throw new StartError(
      `${name} has more certificates than an enrolment can contain (64 KiB). Leave those out that the system trusts.`,
    );
  return pem;
}

/** Returns the text of a file; undefined when it cannot be read or is too large. */
function readText(file: string): string | undefined {
  try {
    return readNamedFile(file, maxFileBytes)?.toString('utf8');
  } catch {
    return undefined;
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
