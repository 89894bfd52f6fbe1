import { errors } from 'oidc-provider';

export type OutagePorts = {
  /** Reports whether requests can be answered: the vault is open. */
  isOpen: () => boolean;
  /** Reports whether an error means that the ledger takes no writes for now. */
  isOutage: (error: unknown) => boolean;
};

/** The error of RFC 6749, 4.1.2.1, for a server that cannot answer now. Where no redirect carries it, it is a 503. */
const unavailable = (reason: string): Error =>
  Object.assign(new errors.TemporarilyUnavailable(reason), { statusCode: 503, status: 503 });

/** Throws `temporarily_unavailable` while the vault is sealed. */
export function requireOpen({ isOpen }: Pick<OutagePorts, 'isOpen'>): void {
  if (!isOpen()) throw unavailable('the server is sealed, try again later');
}

/** Runs work that writes; an outage of the ledger is `temporarily_unavailable`. */
export function writing<T>({ isOutage }: Pick<OutagePorts, 'isOutage'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isOutage(error) ? unavailable('the server cannot store anything now, try again later') : error;
  }
}
