import { errors } from 'oidc-provider';
import { outage } from './outage-text.ts';

export type OutagePorts = {
  /** Reports whether the ledger takes writes, which every authorization needs. */
  takesWrites: () => boolean;
  /** Reports whether an error means that the ledger takes no writes for now. */
  isOutage: (error: unknown) => boolean;
};

/** Without a redirect to carry the error, it is a 503. */
const unavailable = (): Error =>
  Object.assign(new errors.TemporarilyUnavailable(outage.error_description), { statusCode: 503, status: 503 });

/** Throws `temporarily_unavailable` while the ledger takes no writes. */
export function requireWrites({ takesWrites }: Pick<OutagePorts, 'takesWrites'>): void {
  if (!takesWrites()) throw unavailable();
}

/** Runs work that writes; an outage of the ledger is `temporarily_unavailable`. */
export function writing<T>({ isOutage }: Pick<OutagePorts, 'isOutage'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isOutage(error) ? unavailable() : error;
  }
}
