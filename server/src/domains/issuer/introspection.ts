import type { IssuerAnswer, IssuerClient, IssuerRequest, RecordStore } from '#server/drivers/issuer/index';
import { sha256Hex } from '#server/kernel/digest';
import { oidcLifetimes } from '#shared/issuer/contract';
import { tokenPrefixes } from '#shared/vendor';
import { unauthenticated } from './answers.ts';
import { type ClaimPorts, findClaims, findWorkspaceClaim } from './claims.ts';
import type { InterfaceTokens } from './interface-tokens.ts';
import type { OidcStore } from './store.ts';

/** A personal access token. */
type Pat = { tokenId: string; subject: string; scopes: readonly string[]; workspaceId: string | undefined };

export type IntrospectionPorts = ClaimPorts & {
  store: Pick<OidcStore, 'findGrant'>;
  records: Pick<RecordStore, 'find'>;
  answer: (request: IssuerRequest) => Promise<IssuerAnswer>;
  findClient: (clientId: string) => IssuerClient | undefined;
  subjectOf: (accountId: string, client: IssuerClient) => string;
  findPat: (token: string) => (Pat & { expiresAt?: number | undefined }) | undefined;
  notePatUse: (pat: Pat) => void;
  interfaceTokens: Pick<InterfaceTokens, 'find'>;
};
export type Introspection = ReturnType<typeof createIntrospection>;

const patClientId = 'svc-personal-access-token';
const dead = { active: false };

const json = { 'content-type': 'application/json; charset=utf-8' };

/** Describes tokens to clients with a secret (RFC 7662), and personal access tokens to their holders. */
export function createIntrospection(ports: IntrospectionPorts) {
  const { store, records, answer, findPat } = ports;

  function describeAccess(token: string, body: Record<string, unknown>): object {
    const { grantId } = (records.find('AccessToken', sha256Hex(token))?.payload ?? {}) as { grantId?: string };
    const grant = grantId === undefined ? undefined : store.findGrant(grantId);
    const claims = grant && findClaims(ports, grant);
    const client = grant && ports.findClient(grant.clientId);
    if (!grant || !claims || !client) return dead;
    const { client_id, scope, iat, exp, iss } = body;
    const sub = ports.subjectOf(grant.accountId, client);
    const svc = claims.workspace && { svc: claims.workspace };
    return { active: true, client_id, sub, aud: client_id, scope, iat, exp, iss, token_use: 'access', ...svc };
  }

  /** Returns a personal access token with the claim of its Workspace, while its account may act there. */
  function findLivePat(token: string) {
    const pat = token.startsWith(tokenPrefixes.pat) ? findPat(token) : undefined;
    if (pat?.workspaceId === undefined) return pat && { pat };
    const svc = findWorkspaceClaim(ports, pat.subject, pat.workspaceId);
    return svc && { pat, svc };
  }

  function describePat(token: string): object {
    const live = findLivePat(token);
    if (!live) return dead;
    const { pat, ...claim } = live;
    return {
      active: true,
      token_use: 'personal_access',
      client_id: patClientId,
      sub: pat.subject,
      scope: pat.scopes.join(' '),
      ...(pat.expiresAt !== undefined && { exp: Math.floor(pat.expiresAt / 1_000) }),
      ...claim,
    };
  }

  return {
    /** The library authenticates the client and finds access tokens; other kinds are looked up here. */
    async introspect(request: IssuerRequest, form: URLSearchParams): Promise<IssuerAnswer> {
      const token = form.get('token') ?? '';
      // A client without a secret names itself in the form only, and the library refuses it for some tokens only.
      const isPublic = ports.findClient(form.get('client_id') ?? '')?.authMethod === 'none';
      const hasCredential = request.headers['authorization'] !== undefined || form.has('client_secret');
      if (isPublic || !hasCredential) return unauthenticated('Only a client with a secret may ask.');
      const first = await answer(request);
      if (first.status !== 200) return first;
      const body = JSON.parse(first.body) as Record<string, unknown>;
      if (body['active'] === true && token.startsWith(tokenPrefixes.access))
        return { ...first, body: JSON.stringify(describeAccess(token, body)) };
      const described = token.startsWith(tokenPrefixes.pat)
        ? describePat(token)
        : describeInterface(ports.interfaceTokens.find(token));
      return { ...first, body: JSON.stringify(described) };
    },

    /** Answers for a personal access token where an access token is expected; undefined for another token. */
    userinfoOfPat(token: string): IssuerAnswer | undefined {
      const live = findLivePat(token);
      if (!live) return undefined;
      const { pat, ...claim } = live;
      ports.notePatUse(pat);
      const body = { sub: pat.subject, scope: pat.scopes.join(' '), ...claim };
      return { status: 200, headers: json, body: JSON.stringify(body) };
    },
  };
}

function describeInterface(issued: ReturnType<InterfaceTokens['find']>): object {
  if (!issued) return dead;
  const { workspaceId, capsuleId, interfaceId, bindingId, resolvedRevision, resource } = issued.grant;
  return {
    active: true,
    token_use: 'interface_oauth',
    sub: issued.principalId,
    aud: resource,
    scope: issued.permission,
    exp: Math.floor(issued.issuedAt / 1_000) + oidcLifetimes.interfaceToken,
    svc: {
      workspace_id: workspaceId,
      ...(capsuleId !== undefined && { capsule_id: capsuleId }),
      interface_id: interfaceId,
      interface_binding_id: bindingId,
      interface_resolved_revision: resolvedRevision,
    },
  };
}
