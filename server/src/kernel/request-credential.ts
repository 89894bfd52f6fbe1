import { AsyncLocalStorage } from 'node:async_hooks';
import type { CredentialKind } from '#shared/permissions';

const credential = new AsyncLocalStorage<CredentialKind | undefined>();

/**
 * Runs a handler with the kind of credential of its request. It is ambient because only the ledger reads it, below
 * every domain that creates a Run for an account.
 */
export const withCredential = <T>(kind: CredentialKind | undefined, work: () => T): T => credential.run(kind, work);

/** Reports whether the current request came with an access token. False outside of requests. */
export const isTokenRequest = (): boolean => {
  const kind = credential.getStore();
  return kind !== undefined && kind !== 'session';
};
