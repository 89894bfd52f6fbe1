import type { z } from 'zod';
import type { ArgumentReason, ErrorCode } from '../errors.ts';
import type { RateName } from '../limits.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Who may call a route. R read, W write (owner, admin), propose = W that a member may call too, O owner,
 * A any account, S account session only, P personal access token only, X public, Op operator.
 */
export type PermissionClass = 'R' | 'W' | 'propose' | 'O' | 'A' | 'S' | 'P' | 'X' | 'Op';

/** What an operator can switch off, or what a version of the server does not have. */
export type Capability = 'password_sign_in' | 'oidc_issuer' | 'form_host';

export type ReplyHeader = 'retry-after' | 'set-cookie';

/** One HTTP operation, written once: the server mounts it, OpenAPI prints it, the client calls it. */
export type Endpoint = {
  readonly method: Method;
  /** Relative to `/api/v1` unless `base` says otherwise. */
  readonly path: `/${string}`;
  /** `''` for routes of the origin itself, `/internal/v1` for the operator. */
  readonly base?: '' | '/internal/v1';
  readonly summary: string;
  readonly class: PermissionClass;
  /** The number of the published route inventory. */
  readonly descriptor?: number;
  readonly idempotency?: 'required' | 'optional' | 'none';
  /** What a missing Idempotency-Key is told, where that is not `idempotency_key_required`. */
  readonly keyFailsAs?: 'invalid_request';
  /** Where the Workspace is named when the path does not: membership is checked as soon as that part is read. */
  readonly workspaceIn?: 'query' | 'body';
  /** What that part calls it; `workspaceId` unless told. */
  readonly workspaceKey?: string;
  /** Which record the path's parameter names, where its own name leaves open whose Workspace decides. */
  readonly recordAs?: string;
  /** The parameter that names an account: whoever it names may call without the role, with a session or a generic token. */
  readonly ownAs?: string;
  /** What concerns the installation itself: for the account that its first start made, and for nobody else. */
  readonly localOwner?: true;
  /** What a missing or dead credential is told, where that is not `invalid_session`. */
  readonly failsAs?: 'invalid_token';
  /** What a token is told on a session route; 403 `forbidden` unless told. */
  readonly tokensFailAs?: 'invalid_session';
  /** Answers 501 where this is switched off, before anything else is looked at. */
  readonly capability?: Capability;
  /** A write that an archived Workspace still takes: it stops work or takes authority away. */
  readonly whenArchived?: true;
  /** Answers a peer on the same machine under any host name, as probes ask. */
  readonly anyHost?: true;
  /** Answers while the vault is sealed too: it needs nothing of what is sealed. */
  readonly whileSealed?: true;
  /** How often it may be called (shapes 1.9); without one only the calls of an account are counted. */
  readonly rate?: RateName;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Unknown query keys are refused instead of ignored. */
  readonly closedQuery?: true;
  readonly body?: z.ZodType;
  /** A body without the shape is 400 `invalid_argument` of this reason, where that is not `invalid_request`. */
  readonly bodyFailsAs?: ArgumentReason;
  /** The body is handed over as the bytes it came in, of any media type and unread, together with these headers. */
  readonly rawBody?: { readonly headers: readonly string[] };
  /** Where a route takes less than 1 MiB. */
  readonly maxBodyBytes?: number;
  readonly replies: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302 | 303 | 503, z.ZodType>>>;
  /** Further media types the handler may answer with, by status 200; the only ones where `replies` has no 200. */
  readonly streams?: readonly string[];
  /** Headers of an answer beyond those that its status implies. */
  readonly replyHeaders?: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302 | 303, readonly ReplyHeader[]>>>;
  /** Refusals are a page for a caller that accepts HTML. */
  readonly refusesAsPage?: true;
  /** Codes this endpoint answers with beyond those that its class, body and idempotency imply. */
  readonly errors?: readonly ErrorCode[];
  readonly cache?: 'public';
};

export type Api = Readonly<Record<string, Endpoint>>;

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : undefined;

/** A request that nobody has parsed: header names are in lower case. */
export type RawRequest = { bytes: Uint8Array; headers: Readonly<Record<string, string | undefined>> };

/** What a handler receives, after parsing. */
export type Parsed<E extends Endpoint> = {
  params: Out<E['params']>;
  query: Out<E['query']>;
  body: Out<E['body']>;
  raw: E['rawBody'] extends object ? RawRequest : undefined;
};

type PartInput<K extends string, S> = S extends z.ZodType ? { [P in K]: In<S> } : unknown;

/** What a caller gives, before parsing. Parts the endpoint does not declare are absent. */
export type Input<E extends Endpoint> = PartInput<'params', E['params']> &
  (E['query'] extends z.ZodType ? { query?: In<E['query']> } : unknown) &
  (E['body'] extends z.ZodType ? { body: In<E['body']> } : unknown);

export type Reply<E extends Endpoint> = {
  [S in keyof E['replies']]: { status: S; body: Out<E['replies'][S]> };
}[keyof E['replies']];

export const defineApi = <const A extends Api>(api: A): A => api;

/** The same route for the operator, who is held to no membership and no rate. */
export function asOperator<const E extends Endpoint>(endpoint: E) {
  const { descriptor: _, rate: __, ...rest } = endpoint;
  const summary = `${endpoint.summary} (operator)`;
  return { ...rest, base: '/internal/v1', class: 'Op', summary } as Omit<
    E,
    'class' | 'base' | 'descriptor' | 'rate' | 'summary'
  > & { readonly base: '/internal/v1'; readonly class: 'Op'; readonly summary: string };
}

export const fullPath = (endpoint: Endpoint): string => `${endpoint.base ?? '/api/v1'}${endpoint.path}`;
