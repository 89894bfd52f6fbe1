import type { IssuerClient } from '#server/drivers/issuer/index';
import type { OidcStore } from './store.ts';

type Deps = { store: OidcStore; findClient: (clientId: string) => IssuerClient | undefined };

/** Ends grants, with all their codes and tokens, when their authority is gone. Each is called in its transaction. */
export function createGrantEnds({ store, findClient }: Deps) {
  const covers = (clientId: string, scopes: readonly string[]): boolean => {
    const client = findClient(clientId);
    return client !== undefined && scopes.every((scope) => client.scopes.includes(scope));
  };
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
    /** After a start the file of clients may have fewer clients, or clients with fewer scopes. */
    deleteOutdated(): void {
      for (const { id, clientId, scopes } of store.listAllGrants())
        if (!covers(clientId, scopes)) store.deleteGrant(id);
      for (const { id, clientId, scopes } of store.listAllConsents())
        if (!covers(clientId, scopes)) store.deleteConsent(id);
    },
  };
}
