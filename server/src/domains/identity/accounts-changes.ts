import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import { AppError, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { ActivityAction } from '#shared/activity/actions';
import type { IdentityStore } from './store.ts';

/** The identity of a person at an external provider. */
export type ExternalIdentity = { issuer: string; externalSubject: string };

type Deps = { clock: Clock; store: IdentityStore; activity: Pick<ActivityService, 'record'> };

/** Creation and recording of accounts. */
export function createRecords({ clock, store, activity }: Deps) {
  const record = (action: ActivityAction, subject: string, actorId?: string) =>
    activity.record({ actorId, action, targetType: 'account', targetId: subject });

  function make(values: { displayName?: string; email?: string; reserved?: true }): string {
    const id = newId('account');
    const now = clock.now();
    const { reserved, ...names } = values;
    store.insertAccount({ id, ...names, createdAt: now, ...(reserved && { reservedAt: now }) });
    return id;
  }

  return { record, make };
}

/** Changes of accounts. Every write belongs to the transaction of its caller. */
export function createAccountChanges(deps: Deps) {
  const { clock, store } = deps;
  const { record, make } = createRecords(deps);

  return {
    /** Reserves a subject for a person who is invited by an e-mail that no account has. */
    reserve(email: string, actorId: string): string {
      const subject = make({ email, reserved: true });
      record('account.invited', subject, actorId);
      return subject;
    },

    /** Creates an account for a person whom a provider identifies. */
    create(values: { displayName?: string; email?: string }): string {
      const id = make(values);
      record('account.created', id, id);
      return id;
    },

    /** Assigns a reserved account to the invited person. */
    claim(subject: string, values: { displayName?: string; passwordHash?: string }): void {
      store.updateAccount(subject, { ...values, reservedAt: null });
      record('account.created', subject, subject);
    },

    /** Records that a person receives mail at an e-mail: a provider says so, or they opened a link that was sent there. */
    confirmEmail(subject: string, email: string): void {
      const account = store.findAccount(subject);
      if (account?.email === email && account.emailVerifiedAt === null)
        store.updateAccount(subject, { emailVerifiedAt: clock.now() });
    },

    linkIdentity(subject: string, who: ExternalIdentity): void {
      store.insertIdentity({ ...who, accountId: subject, createdAt: clock.now() });
    },

    /** Sets e-mail, name and first password of the local owner. 409 `already_exists` for an e-mail of another account. */
    setUpOwner({
      email,
      displayName,
      passwordHash,
    }: {
      email: string;
      displayName: string;
      passwordHash: string;
    }): string {
      const owner = store.findFirstAccount();
      if (owner?.passwordHash !== null) throw notFound('setup');
      const holder = store.findAccountByEmail(email);
      if (holder && holder.id !== owner.id)
        throw new AppError('already_exists', 'Another account has this e-mail. Use another one.');
      store.updateAccount(owner.id, { email, displayName, passwordHash, emailVerifiedAt: null });
      record('account.password_changed', owner.id, owner.id);
      return owner.id;
    },

    /** The hash that a password is compared with; for callers that compute outside of a transaction. */
    findPasswordHash: (subject: string): string | null => store.findAccount(subject)?.passwordHash ?? null,

    /** Records a wrong password, for an account or for an unknown e-mail. */
    recordFailure: (subject: string | undefined): void => record('account.sign_in_failed', subject ?? 'unknown'),

    /** 409 `conflict` when the password was changed concurrently. */
    replacePassword(subject: string, { was, now }: { was: string | null; now: string }): void {
      if (!store.replacePassword(subject, was, now))
        throw new AppError('conflict', 'The password was changed by another request. Try again with the new password.');
      record('account.password_changed', subject, subject);
    },

    /** 403 `login_not_allowed` for an account that the operator has disabled. */
    requireEnabled(subject: string): void {
      if (store.findAccount(subject)?.disabledAt) throw loginNotAllowed();
    },
  };
}

export const loginNotAllowed = (): AppError =>
  new AppError('login_not_allowed', 'This account may not sign in here. Ask the operator of this server.');
