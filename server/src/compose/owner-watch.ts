import {
  createAttentionStore,
  createOwnerWatch,
  createOwnerWorkStore,
  type OwnerWatch,
} from '../domains/dashboard/index.ts';
import { faultFields } from '../kernel/log.ts';
import type { AppContext } from './app-context.ts';
import type { Domains } from './domains.ts';

type Parts = Pick<AppContext, 'db' | 'clock' | 'log' | 'vault'>;

/** Builds what follows the work of the local owner. */
export function buildOwnerWatch({ db, clock, log, vault }: Parts, domains: Domains): OwnerWatch {
  const { shared, activity, runs, plans, notifications, identity } = domains;
  return createOwnerWatch({
    ...{ db, clock, activity, runs, plans, notifications },
    outbox: shared.outbox,
    store: createOwnerWorkStore(db),
    attention: createAttentionStore(db),
    isSealed: () => vault.sealedBy !== undefined,
    findOwnerId: () => identity.findLocalOwner()?.subject,
    onFault: (error) => log.error(faultFields(error), 'the work of the local owner could not be read'),
  });
}
