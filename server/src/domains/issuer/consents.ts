import { randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import type { AuthorizationRequest } from '#server/drivers/issuer/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { sha256Hex } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { oidcLifetimes } from '#shared/issuer/contract';
import type { ConsentRequestRow, OidcStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: OidcStore;
  activity: Pick<ActivityService, 'record'>;
  nameOfClient: (clientId: string) => string | undefined;
};
export type Consents = ReturnType<typeof createConsents>;

/** The consents of accounts, and the pages on which they decide. */
export function createConsents({ db, clock, store, activity, nameOfClient }: Deps) {
  return {
    has({ person, clientId, workspaceId = '', scopes }: AuthorizationRequest): boolean {
      const consent = store.findConsent({ accountId: person.accountId, clientId, workspaceId });
      return consent !== undefined && scopes.every((scope) => consent.scopes.includes(scope));
    },

    /** Stores the question, and returns the path of its page. */
    request({ person, clientId, redirectUri, workspaceId = '', scopes, search }: AuthorizationRequest): string {
      const id = randomBytes(32).toString('base64url');
      const { accountId, sessionId } = person;
      const expiresAt = clock.now() + oidcLifetimes.consentPage * 1_000;
      const row = { idHash: sha256Hex(id), sessionId, accountId, clientId, redirectUri, workspaceId, expiresAt };
      db.write(() => store.saveConsentRequest({ ...row, scopes: [...scopes].sort(), search }));
      return `/oauth/consent/${id}`;
    },

    /** Returns the question of a page for the session that it was asked in. */
    findQuestion(id: string, sessionId: string): ConsentRequestRow | undefined {
      const row = store.findConsentRequest(sha256Hex(id), clock.now());
      return row?.sessionId === sessionId ? row : undefined;
    },

    /** Uses the page up. Returns false when it was answered before. */
    answer: (question: ConsentRequestRow, { isAllowed }: { isAllowed: boolean }): boolean =>
      db.write(() => {
        if (!store.deleteConsentRequest(question.idHash)) return false;
        const { accountId, clientId, workspaceId, scopes } = question;
        const id = newId('consent');
        if (!isAllowed) return true;
        const known = store.findConsent({ accountId, clientId, workspaceId })?.scopes ?? [];
        const all = [...new Set([...known, ...scopes])].sort();
        store.saveConsent({ id, accountId, clientId, workspaceId, scopes: all, createdAt: clock.now() });
        const record = { action: 'account.consent_given', targetType: 'account', targetId: accountId } as const;
        activity.record({ actorId: accountId, ...record, metadata: { clientId, scopes } });
        return true;
      }),

    list: (accountId: string) =>
      store.listConsents(accountId).map(({ id, clientId, scopes, workspaceId, createdAt }) => ({
        id,
        clientId,
        name: nameOfClient(clientId) ?? clientId,
        scopes,
        ...(workspaceId !== '' && { workspaceId }),
        createdAt: isoTime(createdAt),
      })),

    /** Withdraws a consent and ends everything that the client received under it. Throws 404. */
    withdraw(accountId: string, consentId: string): void {
      db.write(() => {
        const consent = store.findConsentById(consentId);
        if (consent?.accountId !== accountId) throw notFound('consent');
        const { clientId, workspaceId } = consent;
        store.deleteConsent(consent.id);
        for (const grant of store.listGrants({ accountId, clientId }))
          if (grant.workspaceId === (workspaceId === '' ? null : workspaceId)) store.deleteGrant(grant.id);
        const record = { action: 'account.consent_withdrawn', targetType: 'account', targetId: accountId } as const;
        activity.record({ actorId: accountId, ...record, metadata: { clientId } });
      });
    },
  };
}
