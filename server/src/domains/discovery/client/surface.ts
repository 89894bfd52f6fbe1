import type { ErrorCode } from '#shared/errors';

/** What a refusal of the server says: its status and code, beside the sentence of the error. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly requestId: string | undefined;
  readonly details: {
    reason?: string;
    field?: string;
    allowed?: unknown;
    retryAfterSeconds?: number;
    [name: string]: unknown;
  };
}

export type ClientOptions = {
  /** Origin of the server, such as `http://127.0.0.1:4747`. */
  baseUrl: string;
  /** A personal access token or a session token; without one only public routes answer. */
  token?: string;
  /** Another `fetch` than that of the platform. */
  fetch?: typeof fetch;
};

export type CallOptions = {
  /** Makes repeating a write safe: the same key and request have no second effect. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** One event of a Run. `data` is what its JSON says. */
export type RunEvent = { id?: string; name: string; data: ReturnType<typeof JSON.parse> };

export type EventsOptions = {
  /** The place of the last event that is known. */
  after?: number;
  kinds?: readonly string[];
  signal?: AbortSignal;
};
