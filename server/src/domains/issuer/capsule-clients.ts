import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { IssuerClient } from '#server/drivers/issuer/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { type Activation, activationDigestOf, type CapsuleAuthority, type FindAuthority } from './capsule-authority.ts';
import type { CapsuleClientRow, OidcStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: OidcStore;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'digestNow'>;
  findAuthority: FindAuthority;
};
/** An apply that has succeeded, with the sign-in that its plan was made with. */
export type AppliedAuthority = {
  runId: string;
  workspaceId: string;
  capsuleId: string;
  executionAuthorityEpoch: number;
  installConfigDigest: string;
  authority: CapsuleAuthority | undefined;
};
/** Capsule and Workspace that a client belongs to. */
export type CapsuleBinding = { capsuleId: string; workspaceId: string; isLive: boolean };
/** A client with its Capsule; without one for a client of the operator. */
export type BoundClient = { client: IssuerClient; binding?: CapsuleBinding };
export type CapsuleClients = ReturnType<typeof createCapsuleClients>;

/** The clients of Capsules. An apply registers one, and it may be used while the Capsule has the same authority. */
export function createCapsuleClients(deps: Deps) {
  const { db, clock, store, activity, capsules } = deps;
  function record(action: 'oidc_client.registered' | 'oidc_client.retired', row: CapsuleClientRow, runId?: string) {
    const { workspaceId, capsuleId, clientId, redirectUri, scopes, digest } = row;
    const target = { targetType: 'oidc_client', targetId: clientId } as const;
    const metadata = { capsuleId, redirectUri, scopes, digest };
    activity.record({ workspaceId, action, ...target, ...(runId !== undefined && { runId }), metadata });
  }

  function endGrants(clientId: string): void {
    for (const { id } of store.listGrantsOfClient(clientId)) store.deleteGrant(id);
  }

  function retire(capsuleId: string, runId?: string): void {
    const row = store.findCapsuleClient(capsuleId);
    if (!row) return;
    endGrants(row.clientId);
    store.deleteConsentsOfClient(row.clientId);
    store.deleteCapsuleClient(capsuleId);
    record('oidc_client.retired', row, runId);
    failpoint('issuer.retired');
  }

  function register({ runId, authority, ...applied }: AppliedAuthority & { authority: CapsuleAuthority }): void {
    const { clientId, redirectUri, scopes } = authority;
    const activation: Activation = { ...applied, clientId, redirectUri, scopes };
    const digest = activationDigestOf(activation);
    const before = store.findCapsuleClient(clientId);
    const now = clock.now();
    const row = { ...activation, scopes, digest, runId, createdAt: before?.createdAt ?? now, updatedAt: now };
    store.saveCapsuleClient(row);
    failpoint('issuer.registered');
    if (before?.digest === digest) return;
    endGrants(clientId);
    // A consent names the host that receives the answer.
    if (before && before.redirectUri !== redirectUri) store.deleteConsentsOfClient(clientId);
    record('oidc_client.registered', row, runId);
  }

  const clientOf = (row: CapsuleClientRow) => toClient(row, capsules.getRow(row.capsuleId).name);
  const bindingOf = (row: CapsuleClientRow): CapsuleBinding => {
    const { capsuleId, workspaceId } = row;
    return { capsuleId, workspaceId, isLive: isLive(deps, row) };
  };

  return {
    /** Registers the client of an apply that has succeeded, or retires one that the module no longer asks for. */
    recordApply({ authority, ...applied }: AppliedAuthority): void {
      db.write(() => (authority ? register({ ...applied, authority }) : retire(applied.capsuleId, applied.runId)));
    },

    /** Ends the client of a destroyed Capsule, with all its tokens and consents. */
    retire: (capsuleId: string): void => db.write(() => retire(capsuleId)),

    find(clientId: string): IssuerClient | undefined {
      const row = store.findCapsuleClient(clientId);
      return row && clientOf(row);
    },

    /** Returns the Capsule that a client belongs to; undefined for a client of the operator. */
    findBinding(clientId: string): CapsuleBinding | undefined {
      const row = store.findCapsuleClient(clientId);
      return row && bindingOf(row);
    },

    /** Returns a client with the Capsule that it belongs to. */
    findBound(clientId: string): BoundClient | undefined {
      const row = store.findCapsuleClient(clientId);
      return row && { client: clientOf(row), binding: bindingOf(row) };
    },
  };
}

/** Reports whether the Capsule still has exactly the authority that its last apply was given. */
function isLive(
  { capsules, configs, findAuthority }: Pick<Deps, 'capsules' | 'configs' | 'findAuthority'>,
  { capsuleId, workspaceId, clientId, digest }: CapsuleClientRow,
): boolean {
  const capsule = capsules.getRow(capsuleId);
  if (capsule.status === 'destroyed' || capsule.workspaceId !== workspaceId) return false;
  const { installConfigId, executionAuthorityEpoch } = capsule;
  const found = findAuthority({ capsuleId, workspaceId, installConfigId });
  if (!found?.authority || found.fault) return false;
  const { redirectUri, scopes } = found.authority;
  const installConfigDigest = configs.digestNow(installConfigId);
  const now = { workspaceId, capsuleId, executionAuthorityEpoch, installConfigDigest, clientId, redirectUri, scopes };
  return activationDigestOf(now) === digest;
}

const toClient = (row: CapsuleClientRow, name: string): IssuerClient => {
  const { clientId, redirectUri, scopes, workspaceId } = row;
  return { clientId, name, redirectUris: [redirectUri], isNative: false, authMethod: 'none', scopes, workspaceId };
};

/**
 * Reports whether a client may be used for a Workspace now: the client of a Capsule only for its own, and only while its
 * authority is live.
 */
export const isUsable = (binding: CapsuleBinding | undefined, workspaceId: string | null): boolean =>
  !binding || (binding.isLive && binding.workspaceId === workspaceId);
