import type { IssuerClient } from '#server/drivers/issuer/index';
import type { OidcStore } from './store.ts';

type Deps = { store: OidcStore; findClient: (clientId: string) => IssuerClient | undefined };

/** Ends grants, with all their codes and tokens, when their authority is gone. Each is called in its transaction. */
export function createGrantEnds({ store, findClient }: Deps) {
  const scopesOf = (clientId: string): readonly string[] | undefined => findClient(clientId)?.scopes;
  return {
    memberLeft(workspaceId: string, accountId: string): void {
      for (const { id } of store.listGrantsOf(accountId, workspaceId)) store.deleteGrant(id);
    },
    /** A new password, or a sign-out everywhere, also signs apps out. Consents stay: an app asks the account again. */
    signedOutEverywhere(accountId: string): void {
      for (const { id } of store.listGrantsOfAccount(accountId)) store.deleteGrant(id);
    },
    workspaceArchived(workspaceId: string): void {
      for (const { id } of store.listGrantsIn(workspaceId)) store.deleteGrant(id);
    },
    /** Ends every sign-in of an app, and every consent. Returns the number of sign-ins. */
    endEvery(): number {
      store.deleteEveryConsent();
      return store.deleteEveryGrant();
    },
    /** After a start the file of clients may have fewer clients, or clients with fewer scopes, which consents then lose. */
    deleteOutdated(): void {
      for (const { clientId, scopes } of store.listGrantedScopes()) {
        const allowed = scopesOf(clientId) ?? [];
        if (!scopes.every((scope) => allowed.includes(scope))) store.deleteGrantsWith({ clientId, scopes });
      }
      for (const { clientId, scopes } of store.listConsentedScopes()) {
        const allowed = scopesOf(clientId);
        const remaining = scopes.filter((scope) => allowed?.includes(scope));
        if (!allowed) store.deleteConsentsOfClient(clientId);
        else if (remaining.length < scopes.length) store.replaceConsentedScopes({ clientId, scopes }, remaining);
      }
    },
  };
}
