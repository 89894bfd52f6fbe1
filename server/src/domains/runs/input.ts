import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { isApplyType, isPlanType, type RunType, syncIntents } from '#shared/runs/contract';

/** Connections that a Run pins when it is planned: names and values that are not secret. */
const BoundInput = z.object({
  /** Digest of tuples, Connections and their descriptions. */
  digest: z.string(),
  connectionIds: z.array(z.string()),
  /** Defaults that Connections give variables of the module. */
  inputs: z.custom<JsonObject>((value) => isJsonObject(value as Json)),
});
export type BoundInput = z.infer<typeof BoundInput>;

/** Sign-in of a Capsule that a Run pins: the values for its module, and the scopes of its client. */
const AuthorityInput = z.object({
  issuerUrl: z.string(),
  accountsUrl: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
  /** Values by the name of their variable. */
  variables: z.record(z.string(), z.string()),
});

/** Private data that a plan or apply Run pins when it is created. */
const CapsuleRunInput = z.object({
  installConfigId: z.string(),
  configDigest: z.string(),
  reportId: z.string(),
  sourceSnapshotId: z.string(),
  /** Digest of the provider requirements: a plan with other ones is initialized again. */
  requirementsDigest: z.string(),
  /** Absent when no Connection is bound. */
  bound: BoundInput.exactOptional(),
  /** Absent for a module that does not sign its users in here. */
  oidcAuthority: AuthorityInput.exactOptional(),
  /** Values from other Capsules, sealed when the plan was created; absent without Dependencies. */
  dependencySnapshotId: z.string().exactOptional(),
  dependencyDigest: z.string().exactOptional(),
  /** Runs of the group that this one starts after. */
  waitsFor: z.array(z.string()).readonly().exactOptional(),
  /** Folders outside the Capsule's own that the Run may write to, as they were when the plan was created. */
  writablePaths: z.array(z.string()).readonly().exactOptional(),
  /** Version of the key that seals the output of the Run; recorded when the Run is handed to its supervisor. */
  keyVersion: z.number().exactOptional(),
  /** True when the tool of an apply may have changed resources. */
  dispatched: z.boolean().exactOptional(),
  /** State of an apply that is committed while actions after it are still to end. */
  committed: z.object({ stateVersionId: z.string(), outputId: z.string(), generation: z.number() }).exactOptional(),
  cancelledBy: z.string().exactOptional(),
});
export type CapsuleRunInput = z.infer<typeof CapsuleRunInput>;

/** Input of a sync; `error` is the message of its failure. */
const SyncInput = z.object({
  url: z.string(),
  path: z.string(),
  intent: z.enum(syncIntents),
  error: z.string().exactOptional(),
  cancelledBy: z.string().exactOptional(),
});
export type SyncInput = z.infer<typeof SyncInput>;

/** Capsules whose states a restore replaces: no other Run of them runs at the same time. */
const RestoreInput = z.object({ capsuleIds: z.array(z.string()).min(1).readonly() });
export type RestoreInput = z.infer<typeof RestoreInput>;

/** Input of a Run by its type; null for a Run whose handler needs none, and for one that nothing executes. */
export type RunInput = CapsuleRunInput | SyncInput | RestoreInput | null;

/** Parses the stored input of a Run. Null for a type without input, and for any other shape. */
export function parseInput(type: RunType, stored: unknown): RunInput {
  if (isPlanType(type) || isApplyType(type)) return CapsuleRunInput.safeParse(stored).data ?? null;
  if (type === 'restore') return RestoreInput.safeParse(stored).data ?? null;
  return type === 'source_sync' ? (SyncInput.safeParse(stored).data ?? null) : null;
}
