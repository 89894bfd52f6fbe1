import { generateKeyPairSync } from 'node:crypto';
import { createIssuer, type Issuer, type IssuerPorts, type SigningKey } from '#server/drivers/issuer/index';

/** The library requires a key. This one signs nothing. */
const unusedKey = (): SigningKey => ({
  kid: 'unused',
  ...(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as Omit<
    SigningKey,
    'kid'
  >),
});

const refuse = (): never => {
  throw new Error('The issuer is closed.');
};

/**
 * Creates the issuer for the time in which the ledger takes no writes. It knows clients and their redirects, and answers every valid
 * authorization request with `temporarily_unavailable`.
 */
export const createClosedIssuer = (
  ports: Pick<IssuerPorts, 'clock' | 'issuer' | 'findClient' | 'onFault' | 'isOutage'>,
): Issuer =>
  createIssuer({
    ...ports,
    takesWrites: () => false,
    keys: [unusedKey()],
    records: { save: refuse, find: refuse, consume: refuse, remove: refuse, removeGrant: refuse },
    findDenial: refuse,
    hasConsent: refuse,
    requestConsent: refuse,
    createLoginMark: refuse,
    isAfterMark: refuse,
    bindGrant: refuse,
    findClaims: refuse,
    subjectOf: refuse,
    onReuse: refuse,
  });
