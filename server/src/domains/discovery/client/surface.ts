import type { ErrorCode } from '#shared/errors';

/** A refusal of the server: its status and code, beside the message of the error. */
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
  /** A personal access token or a session token; without one only public routes can be called. */
  token?: string;
  /** Replacement for the `fetch` of the platform. */
  fetch?: typeof fetch;
};

export type CallOptions = {
  /** Makes repeating a write safe: the same key and request have no second effect. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** One event of a Run. `data` is its parsed JSON. */
export type RunEvent = { id?: string; name: string; data: ReturnType<typeof JSON.parse> };

export type EventsOptions = {
  /** The id of the last event that was received. */
  after?: number;
  kinds?: readonly string[];
  signal?: AbortSignal;
};
