import type { ErrorCode } from './errors.ts';
import type { Method, PermissionClass } from './kernel/endpoint.ts';

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Workspace roles that may call a route of a class that checks membership. */
export const rolesOf: Partial<Record<PermissionClass, readonly Role[]>> = {
  R: ['owner', 'admin', 'member', 'viewer'],
  propose: ['owner', 'admin', 'member'],
  W: ['owner', 'admin'],
  O: ['owner'],
};

/** Scopes of a personal access token. A signed-in account selects from `offered`; only the operator issues `admin`. */
export const patScopes = {
  offered: ['read', 'write', 'resources:read'],
  /** Known scopes that are not available on public routes; no route accepts an `ai.` scope yet. */
  withheld: ['admin', 'ai.models.read', 'ai.chat', 'ai.embeddings'],
} as const;
export type PatScope = (typeof patScopes.offered)[number] | (typeof patScopes.withheld)[number];

/** Scopes that a token has only inside one Workspace. */
export const scopesOfOneWorkspace: readonly string[] = [
  'resources:read',
  'ai.models.read',
  'ai.chat',
  'ai.embeddings',
] satisfies PatScope[];

/** Kinds of credential in a bearer token, header or cookie. A token that is bound to a Workspace is a separate kind. */
export type CredentialKind = 'session' | 'pat' | 'boundPat' | 'oauth';

/** Requirement of a class on a credential, checked before any record is read. No requirement is `{}`. */
type Demand = {
  /** One of these scopes is required; the error names the first. */
  readonly scopes?: readonly string[];
  /** Error code when none of the scopes is present; default `insufficient_scope`. */
  readonly lacking?: ErrorCode;
  /** Error code that this kind always gets. */
  readonly refused?: ErrorCode;
};
type Demands = Readonly<Record<CredentialKind, Demand>>;

const reading: Demand = { scopes: ['read', 'admin'] };
const writing: Demand = { scopes: ['write', 'admin'] };
const oauthReading: Demand = { scopes: ['capsules:read'] };
const oauthWriting: Demand = { scopes: ['capsules:write'] };

const write: Demands = { session: {}, pat: writing, boundPat: writing, oauth: oauthWriting };

/** The permission classes, by kind of credential. Class A has different requirements for writes and reads. */
const demands: Readonly<Record<Exclude<PermissionClass, 'X' | 'Op' | 'A'> | 'A read' | 'A write', Demands>> = {
  R: { session: {}, pat: reading, boundPat: reading, oauth: oauthReading },
  W: write,
  propose: write,
  O: { ...write, oauth: { refused: 'forbidden' } },
  'A read': { session: {}, pat: { ...reading, lacking: 'forbidden' }, boundPat: reading, oauth: oauthReading },
  'A write': {
    session: {},
    pat: { ...writing, lacking: 'forbidden' },
    boundPat: { ...reading, refused: 'forbidden' },
    oauth: { ...oauthReading, refused: 'forbidden' },
  },
  S: {
    session: {},
    pat: { refused: 'forbidden' },
    boundPat: { refused: 'forbidden' },
    oauth: { refused: 'forbidden' },
  },
  P: { session: { refused: 'invalid_token' }, pat: {}, boundPat: {}, oauth: { refused: 'invalid_token' } },
};

/** Returns the requirement of a route on a kind of credential; public and operator routes have none. */
export function demandOf(
  route: {
    class: PermissionClass;
    method: Method;
    withoutOAuth?: true;
    withoutBoundTokens?: true;
    alsoScope?: PatScope;
  },
  kind: CredentialKind,
): Demand {
  if (route.withoutOAuth && kind === 'oauth') return { refused: 'forbidden' };
  if (route.withoutBoundTokens && kind === 'boundPat') return { refused: 'forbidden' };
  if (route.class === 'X' || route.class === 'Op') return {};
  if (route.class === 'A') return demands[route.method === 'GET' ? 'A read' : 'A write'][kind];
  const demand = demands[route.class][kind];
  if (route.alsoScope === undefined || kind !== 'boundPat') return demand;
  return { ...demand, scopes: [...(demand.scopes ?? []), route.alsoScope] };
}
