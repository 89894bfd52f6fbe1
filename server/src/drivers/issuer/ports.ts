import type { JsonObject } from '#shared/kernel/json';

/** A private key for signatures with ES256, as a JSON Web Key. */
export type SigningKey = { kid: string; kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string };

/** A program that signs people in. A public client has no secret. */
export type IssuerClient = {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
  /** True for a client on a person's device, whose redirects use a custom scheme or a loopback address (RFC 8252). */
  isNative: boolean;
  authMethod: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** SHA-256 of the secret, in hex. */
  secretHash?: string | undefined;
  scopes: readonly string[];
  /** The only Workspace of its tokens, for the client of a Capsule. */
  workspaceId?: string | undefined;
};

/** The account behind a request: the account itself, and since when it is signed in, in epoch milliseconds. */
export type IssuerPerson = { accountId: string; sessionId: string; signedInAt: number };

/** A record of a flow: a code, a token or a grant. `id` is the hash of its value, where its value is secret. */
export type StoredRecord = {
  kind: string;
  id: string;
  payload: JsonObject;
  grantId?: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
};

/** The ledger of flows. Nothing is found after its expiry. */
export type RecordStore = {
  save(record: StoredRecord): void;
  find(kind: string, id: string): { payload: JsonObject; consumedAt?: number | undefined } | undefined;
  /** Marks a record as used. Returns false when another request was first. */
  consume(kind: string, id: string): boolean;
  remove(kind: string, id: string): void;
  removeGrant(grantId: string): void;
};

/** An authorization that a client requests for a signed-in account. */
export type AuthorizationRequest = {
  person: IssuerPerson;
  clientId: string;
  redirectUri: string;
  workspaceId: string | undefined;
  scopes: readonly string[];
  /** Parameters of the request, as sent. */
  search: string;
};

/** Claims about an account, by scope; `svc` names its Workspace and role (RFC 7519, 4). */
export type AccountClaims = { profile: JsonObject; email: JsonObject; workspace: JsonObject | undefined };
