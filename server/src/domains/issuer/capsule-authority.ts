import {
  findEndpoint,
  findSignIn,
  type InstallConfigsService,
  isOrigin,
  type PrivateConfig,
  type SignInProjection,
} from '#server/domains/install-configs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { isScopeAllowed } from '#server/drivers/manifest/index';
import { jsonDigest } from '#server/kernel/digest';
import { activationContract } from '#shared/issuer/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** The sign-in of a Capsule: four values for its module, and the scopes that its client may request. */
export type CapsuleAuthority = {
  issuerUrl: string;
  accountsUrl: string;
  clientId: string;
  redirectUri: string;
  /** Sorted. */
  scopes: string[];
  /** Values by the name of the variable of the module that receives each. */
  variables: Record<string, string>;
};
/** The reason that a Capsule cannot have a sign-in now. */
export type AuthorityFault = { code: 'oidc_authority_unavailable'; message: string };
/** The Capsule and the configuration that an authority is for. */
export type AuthoritySubject = { capsuleId: string; workspaceId: string; installConfigId: string };

export type AuthorityPorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  /** Address of the server, once it listens. */
  findOrigin: () => string;
  isOn: boolean;
};

const faults = {
  off: 'The module signs its users in with Ground Control, and the operator has disabled the issuer of this server. Ask the operator to enable it.',
  origin:
    'The module signs its users in with Ground Control, so the address of its service must be an https origin, such as https://app.example.com. Configure it, then plan again.',
  scopes:
    'The module signs its users in with Ground Control, and the policies do not allow the scopes that it requests. Ask an owner of the Workspace or the operator to allow them.',
} as const;

/** Digest of the values that a plan is made with. */
export const authorityDigestOf = (authority: CapsuleAuthority): string => jsonDigest(authority);

/** Returns the values of a sign-in by the name of the variable that receives each. */
const namedValues = (
  { variables }: SignInProjection,
  values: Pick<CapsuleAuthority, 'issuerUrl' | 'accountsUrl' | 'clientId' | 'redirectUri'>,
): Record<string, string> => ({
  [variables.issuerUrl]: values.issuerUrl,
  [variables.accountsUrl]: values.accountsUrl,
  [variables.clientId]: values.clientId,
  [variables.redirectUri]: values.redirectUri,
});

/** The record by which the client of a Capsule is authorized. */
export type Activation = {
  workspaceId: string;
  capsuleId: string;
  executionAuthorityEpoch: number;
  installConfigDigest: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
};

/** Digest of such a record; two records with one digest authorize the same. */
export const activationDigestOf = (activation: Activation): string => {
  const { workspaceId, capsuleId, executionAuthorityEpoch, installConfigDigest, clientId, redirectUri, scopes } =
    activation;
  return jsonDigest({
    contract: activationContract,
    ...{ workspaceId, capsuleId, executionAuthorityEpoch, installConfigDigest, clientId, redirectUri, scopes },
  });
};

type Address = {
  /** Variable from which the module reads the address of its service. */
  urlVariable: string | undefined;
  /** The https origin of the service; undefined for any other address. */
  origin: string | undefined;
};

function addressOf({ parts, variables }: Pick<PrivateConfig, 'parts' | 'variables'>): Address {
  const urlVariable = findEndpoint(parts)?.variables.url;
  const address = urlVariable === undefined ? undefined : variables[urlVariable];
  return { urlVariable, origin: isOrigin(address) && address.startsWith('https:') ? address : undefined };
}

/** Derives the sign-in of a Capsule from its configuration, the policies and the address of this server. */
export function createFindAuthority({ configs, workspaces, findOrigin, isOn }: AuthorityPorts) {
  /** Returns the requested scopes that every policy allows. */
  function scopesOf({ scopes = ['openid'] }: SignInProjection, workspaceId: string, policy: PolicyConfig): string[] {
    const policies = [workspaces.findPolicy(workspaceId), policy];
    const limits = policies.flatMap(({ repositoryInstallUx }) => repositoryInstallUx ?? []);
    return scopes.filter((scope) => isScopeAllowed(scope, limits)).sort();
  }

  function faultOf({ origin }: Address, scopes: readonly string[]): AuthorityFault | undefined {
    const refusal = (message: string): AuthorityFault => ({ code: 'oidc_authority_unavailable', message });
    if (!isOn) return refusal(faults.off);
    if (origin === undefined) return refusal(faults.origin);
    return scopes.includes('openid') ? undefined : refusal(faults.scopes);
  }

  /** Returns undefined for a configuration that asks for no sign-in. There is no authority without an origin. */
  return ({ capsuleId, workspaceId, installConfigId }: AuthoritySubject) => {
    const config = configs.getPrivate(installConfigId);
    const projection = findSignIn(config.parts);
    if (!projection) return undefined;
    const address = addressOf(config);
    const scopes = scopesOf(projection, workspaceId, config.policy);
    const issuerUrl = findOrigin();
    const redirectUri = `${address.origin}${projection.callbackPath}`;
    const values = { issuerUrl, accountsUrl: issuerUrl, clientId: capsuleId, redirectUri };
    const authority: CapsuleAuthority = { ...values, scopes, variables: namedValues(projection, values) };
    return {
      ...address,
      authority: address.origin === undefined ? undefined : authority,
      fault: faultOf(address, scopes),
    };
  };
}
export type FindAuthority = ReturnType<typeof createFindAuthority>;
