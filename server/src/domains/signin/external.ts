import {
  type Account,
  type ExternalIdentity,
  type IdentityService,
  type IssuedSession,
  loginNotAllowed,
} from '#server/domains/identity/index';
import type { MembersService } from '#server/domains/workspaces/index';

/** Identity that a provider vouches for. The e-mail counts only when the provider verified it. */
export type Vouched = ExternalIdentity & { verifiedEmail: string | undefined; displayName: string | undefined };

type Deps = { identity: IdentityService; members: Pick<MembersService, 'hasInvitation' | 'acceptAll'> };

/**
 * Finds or creates the account of a user whom a provider vouches for, and signs them in, in the caller's transaction.
 * An account that another user could already sign in to is never assigned by e-mail. Throws 403 `login_not_allowed`.
 */
export function createExternalAccounts({ identity, members }: Deps) {
  /** Throws 403 `login_not_allowed` for an account that another user could already sign in to. */
  function requireUnclaimed({ subject, hasPassword }: Account): void {
    if (hasPassword || identity.hasIdentity(subject)) throw loginNotAllowed();
    identity.requireEnabled(subject);
  }

  /** Returns the account with this e-mail after linking the identity to it. */
  function claimByEmail({ verifiedEmail, displayName, ...who }: Vouched, autoProvision: boolean): string | undefined {
    const holder = verifiedEmail === undefined ? undefined : identity.findByEmail(verifiedEmail);
    if (!holder) return undefined;
    const { subject, isReserved } = holder;
    if (!isReserved) requireUnclaimed(holder);
    else if (!autoProvision && !members.hasInvitation(subject)) throw loginNotAllowed();
    else identity.claim(subject, displayName === undefined ? {} : { displayName });
    identity.linkIdentity(subject, who);
    return subject;
  }

  function create({ verifiedEmail, displayName, ...who }: Vouched): string {
    const subject = identity.create({
      ...(displayName !== undefined && { displayName }),
      ...(verifiedEmail !== undefined && { email: verifiedEmail }),
    });
    identity.linkIdentity(subject, who);
    return subject;
  }

  function findOrMake(who: Vouched, autoProvision: boolean): string {
    const { issuer, externalSubject, verifiedEmail } = who;
    const known = identity.findByIdentity({ issuer, externalSubject });
    // Checked before anything is written: the refusal is shown in a page, so the transaction commits.
    if (known) identity.requireEnabled(known.subject);
    const subject = known?.subject ?? claimByEmail(who, autoProvision) ?? (autoProvision ? create(who) : undefined);
    if (subject === undefined) throw loginNotAllowed();
    if (verifiedEmail !== undefined) identity.confirmEmail(subject, verifiedEmail);
    const holder = verifiedEmail === undefined ? undefined : identity.findByEmail(verifiedEmail);
    // Invitations of the e-mail belong to this user, even when another account of theirs was found first.
    if (holder && (holder.subject === subject || holder.isReserved)) members.acceptAll(holder.subject, subject);
    return subject;
  }

  return {
    signIn: (
      who: Vouched,
      { autoProvision, userAgent }: { autoProvision: boolean; userAgent: string | undefined },
    ): IssuedSession => identity.open(findOrMake(who, autoProvision), { userAgent, madeBy: 'provider' }),
  };
}
