import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createAccountChanges, createRecords } from './accounts-changes.ts';
import type { AccountRow, IdentityStore } from './store.ts';

/** An account without its credentials. */
export type Account = {
  subject: string;
  email: string | null;
  /** True when the account was seen to receive mail at its e-mail. */
  isEmailVerified: boolean;
  displayName: string | null;
  hasPassword: boolean;
  /** Reserved: invited by this e-mail and not signed in yet. */
  isReserved: boolean;
};

type Deps = { db: Db; clock: Clock; store: IdentityStore; activity: Pick<ActivityService, 'record'> };

/** The accounts of the installation. Writes belong to the transaction of the caller. */
export function createAccounts({ db, clock, store, activity }: Deps) {
  const { record, make } = createRecords({ clock, store, activity });

  return {
    ...createAccountChanges({ clock, store, activity }),

    /** The one account of a fresh installation, created at its first start. `made` is true when this call created it. */
    ensureLocalOwner(): { subject: string; isNew: boolean } {
      return db.write(() => {
        const account = store.findFirstAccount();
        if (account) return { subject: account.id, isNew: false };
        const id = make({ displayName: 'Local owner' });
        record('account.created', id);
        return { subject: id, isNew: true };
      });
    },

    /** The account that the first start created; it owns the installation. */
    isLocalOwner: (subject: string): boolean => store.findFirstAccount()?.id === subject,
    findLocalOwner: (): Account | undefined => accountOf(store.findFirstAccount()),

    /** Gives the local owner the e-mail of the settings, once; false when another account has it. */
    nameLocalOwner(email: string): boolean {
      return db.write(() => {
        const owner = store.findFirstAccount();
        if (!owner || owner.email !== null) return true;
        if (store.findAccountByEmail(email)) return false;
        store.updateAccount(owner.id, { email });
        return true;
      });
    },

    /** Accounts of people; a reserved one is found by its e-mail only. */
    findAccount: (subject: string): Account | undefined => {
      const row = store.findAccount(subject);
      return row?.reservedAt === null ? accountOf(row) : undefined;
    },
    /** Reports whether an account may act: it belongs to a person and is not disabled. */
    isActive(subject: string): boolean {
      const row = store.findAccount(subject);
      return row !== undefined && row.reservedAt === null && row.disabledAt === null;
    },
    /** The account of a subject, also a reserved one. */
    findHolder: (subject: string): Account | undefined => accountOf(store.findAccount(subject)),
    findByEmail: (email: string): Account | undefined => accountOf(store.findAccountByEmail(email)),
    findByIdentity: (who: { issuer: string; externalSubject: string }): Account | undefined =>
      accountOf(store.findAccountByIdentity(who)),
    hasIdentity: (subject: string): boolean => store.countIdentities(subject) > 0,
  };
}

function accountOf(row: AccountRow | undefined): Account | undefined {
  return (
    row && {
      subject: row.id,
      email: row.email,
      isEmailVerified: row.email !== null && row.emailVerifiedAt !== null,
      displayName: row.displayName,
      hasPassword: row.passwordHash !== null,
      isReserved: row.reservedAt !== null,
    }
  );
}
