import type { IssuerClient } from '#server/drivers/issuer/index';
import { hmacHex, type MacKey } from '#server/kernel/digest';

/**
 * Returns the subject of an account at a client (OpenID Connect Core 1.0, 8.1): the same for all clients whose redirects
 * have one host, and for a native client its own.
 */
export const createSubjects =
  (key: MacKey) =>
  (accountId: string, { clientId, isNative, redirectUris }: IssuerClient): string => {
    const sector = isNative ? clientId : new URL(redirectUris[0] ?? '').host;
    return Buffer.from(hmacHex(key, `${sector}\n${accountId}`), 'hex').toString('base64url');
  };
