import type { RecordStore } from '#server/drivers/issuer/index';
import { sha256Hex } from '#server/kernel/digest';
import type { Bearer } from '#server/kernel/http/index';
import { tokenPrefixes } from '#shared/vendor';
import { type BoundClient, isUsable } from './capsule-clients.ts';
import type { OidcStore } from './store.ts';

type Deps = {
  records: Pick<RecordStore, 'find'>;
  store: Pick<OidcStore, 'findGrant'>;
  findBound: (clientId: string) => BoundClient | undefined;
  isActive: (accountId: string) => boolean;
};

/** Creates the look-up of access tokens as bearers of the API. */
export const createFindOauthBearer =
  ({ records, store, findBound, isActive }: Deps) =>
  (token: string): Extract<Bearer, { kind: 'oauth' }> | undefined => {
    if (!token.startsWith(tokenPrefixes.access)) return undefined;
    const hash = sha256Hex(token);
    const { grantId, scope } = (records.find('AccessToken', hash)?.payload ?? {}) as {
      grantId?: string;
      scope?: string;
    };
    const grant = grantId === undefined ? undefined : store.findGrant(grantId);
    const found = grant && findBound(grant.clientId);
    if (!grant || !found || !isActive(grant.accountId) || !isUsable(found.binding, grant.workspaceId)) return undefined;
    return {
      kind: 'oauth',
      subject: grant.accountId,
      clientId: grant.clientId,
      tokenId: hash,
      scopes: (scope ?? '').split(' ').filter((one) => found.client.scopes.includes(one)),
      workspaceId: grant.workspaceId ?? undefined,
    };
  };
