import { generate } from 'selfsigned';

type Pair = { cert: string; key: string };

const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** Creates a certificate authority of a test, and a certificate that it signs for this machine; all as PEM. */
export async function createAuthority(name = 'Authority of a test'): Promise<{ ca: string; server: Pair }> {
  const authority = await generate([{ name: 'commonName', value: name }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const altNames = [
    { type: 2 as const, value: 'localhost' },
    { type: 7 as const, ip: '127.0.0.1' },
  ];
  const issued = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames },
    ],
    ca: { key: authority.private, cert: authority.cert },
  });
  return { ca: authority.cert, server: { cert: issued.cert, key: issued.private } };
}
