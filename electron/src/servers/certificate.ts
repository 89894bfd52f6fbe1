import type { Certificate } from 'electron';

/** The parts of a presented certificate that decide. */
type PresentedCertificate = {
  hostname: string;
  /** 0 when the system trusts the certificate for this host. */
  errorCode: number;
  certificate: Pick<Certificate, 'issuer' | 'issuerName'>;
};

/**
 * Decision about a certificate. `unknown` is accepted and its issuer is remembered. `changed` is trusted by the system but
 * comes from another authority than before, so the person decides.
 */
type CertificateDecision = 'accepted' | 'unknown' | 'changed' | 'refused';

/** Returns the authority that issued a certificate. Its organization stays when it renews its own certificates. */
export const issuerOf = ({ issuer, issuerName }: PresentedCertificate['certificate']): string =>
  issuer.organizations.join(', ') || issuer.commonName || issuerName;

/**
 * A certificate that the system does not trust is refused, without a way around. A renewal by the same authority is
 * accepted; another authority may be a proxy that reads the connection.
 */
export function decideCertificate(
  presented: PresentedCertificate,
  { origin, issuer }: { origin: string; issuer?: string | undefined },
): CertificateDecision {
  const host = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
  const current = issuerOf(presented.certificate);
  if (presented.errorCode !== 0 || presented.hostname !== host || current === '') return 'refused';
  if (issuer === undefined) return 'unknown';
  return issuer === current ? 'accepted' : 'changed';
}
