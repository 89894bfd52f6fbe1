import type { ErrorCode } from './errors.ts';
import type { Method, PermissionClass } from './kernel/endpoint.ts';

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Which roles of a Workspace may call a route of a class that looks at the membership. */
export const rolesOf: Partial<Record<PermissionClass, readonly Role[]>> = {
  R: ['owner', 'admin', 'member', 'viewer'],
  propose: ['owner', 'admin', 'member'],
  W: ['owner', 'admin'],
  O: ['owner'],
};

/** What a personal access token may be given. Whoever signs in picks from `offered`; only the operator mints `admin`. */
export const patScopes = {
  offered: ['read', 'write'],
  /** Known, and not available on the public routes; no route accepts `resources:read` or an `ai.` scope yet. */
  withheld: ['admin', 'resources:read', 'ai.models.read', 'ai.chat', 'ai.embeddings'],
} as const;
export type PatScope = (typeof patScopes.offered)[number] | (typeof patScopes.withheld)[number];

/** Scopes that a token has only inside one Workspace. */
export const scopesOfOneWorkspace: readonly string[] = [
  'resources:read',
  'ai.models.read',
  'ai.chat',
  'ai.embeddings',
] satisfies PatScope[];

/** How a bearer, a header or a cookie may have proved who calls. A token that is bound to a Workspace is a kind of its own. */
export type CredentialKind = 'session' | 'pat' | 'boundPat' | 'oauth';

/** What a class asks of a credential before any record is looked at. Nothing asked is `{}`. */
export type Demand = {
  /** One of these; the first is named to whoever has none. */
  readonly scopes?: readonly string[];
  /** What is said where none of them is there; `insufficient_scope` unless told. */
  readonly lacking?: ErrorCode;
  /** What is said to this kind in any case. */
  readonly refused?: ErrorCode;
};
type Demands = Readonly<Record<CredentialKind, Demand>>;

const reading: Demand = { scopes: ['read', 'admin'] };
const writing: Demand = { scopes: ['write', 'admin'] };
const oauthReading: Demand = { scopes: ['capsules:read'] };
const oauthWriting: Demand = { scopes: ['capsules:write'] };

const write: Demands = { session: {}, pat: writing, boundPat: writing, oauth: oauthWriting };

/** The permission classes, by kind of credential. Class A asks something else of a write than of a read. */
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

/** What a route asks of a kind of credential; public and operator routes ask none of them. */
export function demandOf(route: { class: PermissionClass; method: Method }, kind: CredentialKind): Demand {
  if (route.class === 'X' || route.class === 'Op') return {};
  if (route.class === 'A') return demands[route.method === 'GET' ? 'A read' : 'A write'][kind];
  return demands[route.class][kind];
}
