import type { z } from 'zod';
import type { ArgumentReason, ErrorCode } from '../errors.ts';
import type { FormErrorCode } from '../form-errors.ts';
import type { RateName } from '../limits.ts';
import { formCompatibilityPath, formHostPath } from '../vendor.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Permission class of a route. R read, W write (owner, admin), propose = W that a member may call too, O owner, A any
 * account, S account session only, P personal access token only, X public, Op operator.
 */
export type PermissionClass = 'R' | 'W' | 'propose' | 'O' | 'A' | 'S' | 'P' | 'X' | 'Op';

/** Capabilities that an operator can disable. */
export type Capability = 'password_sign_in' | 'oidc_issuer' | 'form_host';

export type ConditionHeader = 'if-match' | 'if-none-match' | 'idempotency-key';

type ReplyHeader = 'retry-after' | 'set-cookie' | 'etag';

/** One HTTP operation, written once: the server mounts it, OpenAPI documents it, the client calls it. */
export type Endpoint = {
  readonly method: Method;
  /** Relative to `/api/v1` unless `base` says otherwise. */
  readonly path: `/${string}`;
  /** `''` for routes of the origin itself, `/internal/v1` for the operator, the others for the form host. */
  readonly base?: '' | '/internal/v1' | typeof formHostPath | typeof formCompatibilityPath;
  readonly summary: string;
  readonly class: PermissionClass;
  /** Number in the published route inventory. */
  readonly descriptor?: number;
  readonly idempotency?: 'required' | 'optional' | 'none';
  /** Reason reported for a missing Idempotency-Key; default `idempotency_key_required`. */
  readonly keyFailsAs?: 'invalid_request';
  /**
   * Part of the request that names the Workspace when the path does not. Membership is checked as soon as that part is
   * read. With `either`, the last name of `workspaceKey` in the query counts too, and the two must be equal.
   */
  readonly workspaceIn?: 'query' | 'body' | 'either';
  /** Name of the Workspace field in that part, or its path of names with dots; default `workspaceId`. */
  readonly workspaceKey?: string;
  /** The field holds an id or a handle, and an unknown Workspace is refused as a foreign one. */
  readonly workspaceAs?: 'space';
  /** Kind of record that the path parameter names, where the parameter's name does not determine the Workspace. */
  readonly recordAs?: string;
  /**
   * Path parameter that names an account. That account may call without the role, with a session or a generic token.
   */
  readonly ownAs?: string;
  /** Restricts a route of the installation to the account that its first start created. */
  readonly localOwner?: true;
  /** Error code for a missing or expired credential; default `invalid_session`. */
  readonly failsAs?: 'invalid_token';
  /** Accepts only a bearer: a session in a cookie or in its own header is no credential here. */
  readonly bearerOnly?: true;
  /** Error code for a token on a session route; default 403 `forbidden`. */
  readonly tokensFailAs?: 'invalid_session';
  /** Preconditions and keys that the handler reads (RFC 9110, 13.1), and whether a caller has to send each. */
  readonly conditions?: Readonly<Partial<Record<ConditionHeader, 'required' | 'optional'>>>;
  /** A scope that opens this route to a token of one Workspace, besides those of the class. */
  readonly alsoScope?: 'resources:read';
  /** The caller names the version that it changes in `If-Match` (RFC 9110, 13.1.1); 412 without it. */
  readonly conditional?: true;
  /** Refuses OAuth access tokens: the answer shows values of resources or plans. */
  readonly withoutOAuth?: true;
  /** Refuses personal access tokens that are bound to a Workspace. */
  readonly withoutBoundTokens?: true;
  /** Answers 501 where this capability is disabled, before any other check. */
  readonly capability?: Capability;
  /** True for a write that an archived Workspace still accepts, because it stops work or removes authority. */
  readonly whenArchived?: true;
  /** Answers a client on the same machine under any host name, as probes ask. */
  readonly anyHost?: true;
  /** Answers while the vault is sealed too, because it needs no sealed value. */
  readonly whileSealed?: true;
  /** Answers a write while the server is read-only, because it ends that. */
  readonly whileReadOnly?: true;
  /** Rate limit; without one only the calls of an account are counted. */
  readonly rate?: RateName;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Unknown query keys are refused instead of ignored. */
  readonly closedQuery?: true;
  readonly body?: z.ZodType;
  /** Reason of the 400 `invalid_argument` for a body with an invalid shape; default `invalid_request`. */
  readonly bodyFailsAs?: ArgumentReason;
  /** Passes the body as unparsed bytes of any media type, together with these headers. */
  readonly rawBody?: { readonly headers: readonly string[] };
  /** Largest body in bytes, where it is not 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The time limits of ordinary requests do not apply: its body or its work may take minutes. */
  readonly longRunning?: true;
  readonly replies: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302 | 303 | 503, z.ZodType>>>;
  /**
   * Further media types that the handler may answer with, with status 200. They are the only ones where `replies` has
   * no 200.
   */
  readonly streams?: readonly string[];
  /** Answers with a file, and with a part of it when the request names one in `Range` (RFC 9110, 14). */
  readonly ranges?: true;
  /** Headers of an answer beyond those that its status implies. */
  readonly replyHeaders?: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302 | 303, readonly ReplyHeader[]>>>;
  /** Errors have the form of RFC 6749, 5.2, and the handler writes status and headers itself. */
  readonly answersAs?: 'oauth';
  /** Returns errors as a page to a caller that accepts HTML. */
  readonly refusesAsPage?: true;
  /** Codes this endpoint answers with beyond those that its class, body and idempotency imply. */
  readonly errors?: readonly (ErrorCode | FormErrorCode)[];
  readonly cache?: 'public';
};

export type Api = Readonly<Record<string, Endpoint>>;

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An unparsed request; header names are in lower case. */
export type RawRequest = { bytes: Uint8Array; headers: Readonly<Record<string, string | undefined>> };

type WithQuery = Endpoint & { readonly query: z.ZodObject };
type WithBody = Endpoint & { readonly body: z.ZodType };

/** Parsed query of an endpoint. */
export type QueryOf<E extends WithQuery> = z.output<E['query']>;
/** Parsed body of an endpoint. */
export type BodyOf<E extends WithBody> = z.output<E['body']>;
/** Query of an endpoint as a caller writes it, before parsing. */
export type QueryInputOf<E extends WithQuery> = z.input<E['query']>;
/** Body of an endpoint as a caller writes it, before parsing. */
export type BodyInputOf<E extends WithBody> = z.input<E['body']>;

/**
 * Accepts what is left of a request after all its members were read. A member that the endpoint table declares and the
 * code does not read makes the rest non-empty, which does not compile.
 */
export const nothingLeft = (_rest: Record<string, never>): void => {};

/** Parsed input of a handler. */
export type Parsed<E extends Endpoint> = {
  params: Out<E['params']>;
  query: E extends WithQuery ? QueryOf<E> : undefined;
  body: E extends WithBody ? BodyOf<E> : undefined;
  raw: E['rawBody'] extends object ? RawRequest : undefined;
};

/** Input of a caller, before parsing. Parts that the endpoint does not declare are absent. */
export type Input<E extends Endpoint> = (E['params'] extends z.ZodType ? { params: z.input<E['params']> } : unknown) &
  (E extends WithQuery ? { query?: QueryInputOf<E> } : unknown) &
  (E extends WithBody ? { body: BodyInputOf<E> } : unknown) &
  (E['rawBody'] extends object ? { bytes?: Uint8Array<ArrayBuffer> } : unknown);

export type Reply<E extends Endpoint> = {
  [S in keyof E['replies']]: { status: S; body: Out<E['replies'][S]> };
}[keyof E['replies']];

export const defineApi = <const A extends Api>(api: A): A => api;

type Merged<Apis extends readonly Api[]> = Apis extends readonly [infer First, ...infer Rest extends readonly Api[]]
  ? First & Merged<Rest>
  : unknown;

/** The same tables; one that repeats a name of an earlier one becomes the repeated name. */
type Distinct<Apis extends readonly Api[], Names = never> = Apis extends readonly [
  infer First,
  ...infer Rest extends readonly Api[],
]
  ? [keyof First & Names extends never ? First : keyof First & Names, ...Distinct<Rest, Names | keyof First>]
  : [];

/** Merges endpoint tables, in their order. Two endpoints of the same name do not compile. */
export const mergeApis = <const Apis extends readonly Api[]>(...apis: Apis & Distinct<Apis>): Merged<Apis> =>
  Object.assign({}, ...apis);

/** Returns the same route for the operator, without membership check and rate limit. */
export function asOperator<const E extends Endpoint>(endpoint: E) {
  const { descriptor: _, rate: __, ...rest } = endpoint;
  const summary = `${endpoint.summary} (operator)`;
  return { ...rest, base: '/internal/v1', class: 'Op', summary } as Omit<
    E,
    'class' | 'base' | 'descriptor' | 'rate' | 'summary'
  > & { readonly base: '/internal/v1'; readonly class: 'Op'; readonly summary: string };
}

/** Reports whether an endpoint belongs to the form host protocol, which has an error envelope of its own. */
export const isFormHost = ({ base }: Endpoint): boolean => base === formHostPath || base === formCompatibilityPath;

export const fullPath = (endpoint: Endpoint): string => `${endpoint.base ?? '/api/v1'}${endpoint.path}`;
