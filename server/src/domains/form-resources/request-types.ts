import type { FormIdentity } from '#shared/form-packages/contract';
import type { JsonObject } from '#shared/kernel/json';
import type { Preconditions } from './preconditions.ts';
import type { Target } from './store.ts';

/** A request on one Resource. */
export type TargetRequest = {
  target: Target;
  actorId: string;
  /** The exact form; undefined on the compatibility routes. */
  form: FormIdentity | undefined;
  conditions: Preconditions;
  /** `Idempotency-Key`, as sent. */
  key: string | undefined;
};
export type DesiredRequest = TargetRequest & {
  /** Spelling of the space, for the answer. */
  space: string;
  /** Of the body; must be that of the form where it is sent. */
  apiVersion: string | undefined;
  resourceVersion: string | undefined;
  spec: JsonObject;
  planDigest: string | undefined;
};
export type ImportRequest = DesiredRequest & { nativeId: string };
