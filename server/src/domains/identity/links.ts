import { randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { notFound } from '#server/kernel/errors';
import { accountGetter, tokenHashOf } from './sign-ins.ts';
import type { AccountRow, IdentityStore } from './store.ts';

const linkMs = 5 * 60_000;

/** The account of a link: by its subject or e-mail, else the local owner. */
type LinkedAccount = { subject?: string | undefined; email?: string | undefined };

/** The actor that creates a link, and the e-mail to which it is sent. The operator gets a link to pass on. */
type LinkOrigin = { actorId: 'operator' | 'system'; mailedTo: string | null };

type Deps = { db: Db; clock: Clock; store: IdentityStore; activity: Pick<ActivityService, 'record'> };

/** Creation of one-time sign-in links: single use, five minutes, stored as a hash. */
export function createLinks({ db, clock, store, activity }: Deps) {
  const requireAccount = accountGetter(store);
  /** Hashes of the newest links in mail, by account. */
  const mailed = new Map<string, string>();

  function requireLinked({ subject, email }: LinkedAccount): AccountRow {
    if (email === undefined) return requireAccount(subject);
    const account = store.findAccountByEmail(email);
    if (!account) throw notFound('account');
    return requireAccount(account.id);
  }

  function insertLink(account: AccountRow, { actorId, mailedTo }: LinkOrigin) {
    const token = randomBytes(32).toString('base64url');
    const createdAt = clock.now();
    const expiresAt = createdAt + linkMs;
    store.insertLink({ tokenHash: tokenHashOf(token), subject: account.id, createdAt, expiresAt, mailedTo });
    activity.record({ actorId, action: 'account.link_created', targetType: 'account', targetId: account.id });
    return { token, expiresAt };
  }

  return {
    /** Creates a link for the operator. 404 for an account that does not exist. */
    createLink(account: LinkedAccount, origin: string): { url: string; expiresAt: string } {
      return db.write(() => {
        const { token, expiresAt } = insertLink(requireLinked(account), { actorId: 'operator', mailedTo: null });
        return { url: `${origin}/sign-in#${token}`, expiresAt: isoTime(expiresAt) };
      });
    },

    /**
     * Creates a link that a mail carries to its account, and opens the page where a password is set. Returns undefined
     * while an earlier one can be used, so that requests fill no mailbox. `withdraw` ends the link.
     */
    createMailedLink(subject: string, origin: string): { url: string; withdraw: () => void } | undefined {
      return db.write(() => {
        if (store.isUsableLink(mailed.get(subject) ?? '', clock.now())) return undefined;
        const account = requireAccount(subject);
        const { token } = insertLink(account, { actorId: 'system', mailedTo: account.email });
        const tokenHash = tokenHashOf(token);
        mailed.set(subject, tokenHash);
        const withdraw = () => void store.spendLink(tokenHash, clock.now());
        const query = new URLSearchParams({ return: '/account' });
        return { url: `${origin}/sign-in?${query}#${token}`, withdraw };
      });
    },
  };
}
