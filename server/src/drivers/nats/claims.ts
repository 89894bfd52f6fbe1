import { createHash } from 'node:crypto';
import type { KeyPair } from '@nats-io/nkeys';

/** Claims of one NATS JWT. `nats` holds the members of its kind, such as limits and permissions. */
export type Claims = {
  kind: 'account' | 'operator' | 'user';
  name: string;
  /** Public key of what the JWT is about. */
  subject: string;
  nats: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch; the default is now. */
  issuedAt?: number | undefined;
  /** Seconds since the epoch; undefined for a JWT that does not expire. */
  expiresAt?: number | undefined;
};

export const epochSeconds = (): number => Math.floor(Date.now() / 1_000);

const encodePart = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url');
const header = encodePart(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));

/** Signs a NATS JWT (version 2). */
export function signClaims(
  signer: KeyPair,
  { kind, name, subject, nats, issuedAt = epochSeconds(), expiresAt }: Claims,
): string {
  const claims = {
    iss: signer.getPublicKey(),
    sub: subject,
    name,
    iat: issuedAt,
    ...(expiresAt !== undefined && { exp: expiresAt }),
    nats: { ...nats, type: kind, version: 2 },
  };
  // nats-server ignores an update whose id equals that of the stored JWT, so the id depends on the content.
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('base64url');
  const signed = `${header}.${encodePart(JSON.stringify({ ...claims, jti }))}`;
  return `${signed}.${encodePart(signer.sign(Buffer.from(signed)))}`;
}
