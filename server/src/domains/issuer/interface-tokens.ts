import { isDeepStrictEqual } from 'node:util';
import type { ActivityService } from '#server/domains/activity/index';
import { type IdentityService, newToken } from '#server/domains/identity/index';
import type { InterfacesDomain, TokenGrant } from '#server/domains/interfaces/index';
import type { RecordStore } from '#server/drivers/issuer/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import { oidcLifetimes } from '#shared/issuer/contract';
import type { JsonObject } from '#shared/kernel/json';
import { tokenPrefixes } from '#shared/vendor';

type Deps = {
  clock: Clock;
  records: RecordStore;
  activity: Pick<ActivityService, 'record'>;
  findTokenGrant: InterfacesDomain['findTokenGrant'];
  identity: Pick<IdentityService, 'isActive'>;
};
type Caller = { interfaceId: string; principalId: string; permission: string };

const kind = 'InterfaceToken';

/** Tokens by which the client of an account calls the resource of an Interface. */
export function createInterfaceTokens({ clock, records, activity, identity, findTokenGrant }: Deps) {
  return {
    /** Throws 403 unless exactly one ready binding of the account delivers the permission by `oauth2`. */
    issue(caller: Caller) {
      const grant = findTokenGrant(caller);
      if (!grant)
        throw new AppError('forbidden', 'No ready binding of your account has this permission with delivery oauth2.');
      const token = newToken(tokenPrefixes.interface);
      const expiresAt = clock.now() + oidcLifetimes.interfaceToken * 1_000;
      const payload = { ...caller, grant, issuedAt: clock.now() } as unknown as JsonObject;
      records.save({ kind, id: sha256Hex(token), payload, expiresAt });
      activity.record({
        workspaceId: grant.workspaceId,
        actorId: caller.principalId,
        action: 'interface_token.issued',
        targetType: 'interface',
        targetId: caller.interfaceId,
        metadata: { bindingId: grant.bindingId, permission: caller.permission },
      });
      return {
        access_token: token,
        token_type: 'Bearer' as const,
        expires_in: oidcLifetimes.interfaceToken,
        expires_at: isoTime(expiresAt),
        scope: caller.permission,
        resource: grant.resource,
      };
    },

    /** Returns a token's account and grant, looked up again; undefined when it is over. */
    find(token: string) {
      const stored = token.startsWith(tokenPrefixes.interface) ? records.find(kind, sha256Hex(token)) : undefined;
      if (!stored) return undefined;
      const issued = stored.payload as unknown as Caller & { grant: TokenGrant; issuedAt: number };
      const grant = identity.isActive(issued.principalId) ? findTokenGrant(issued) : undefined;
      // A token is for one resource and one binding: when they change, it ends (RFC 8707, 3).
      return grant && isDeepStrictEqual(grant, issued.grant) ? issued : undefined;
    },
  };
}
export type InterfaceTokens = ReturnType<typeof createInterfaceTokens>;
