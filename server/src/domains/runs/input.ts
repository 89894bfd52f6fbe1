import type { JsonObject } from '#shared/kernel/json';

/** Data about its Connections that a Run pins when it is planned: names and values that are not secret. */
export type BoundInput = {
  /** Digest of tuples, Connections and their descriptions. */
  digest: string;
  connectionIds: string[];
  /** Defaults that Connections give variables of the module. */
  inputs: JsonObject;
};

/** Private data that a plan or apply Run pins when it is created. */
export type CapsuleRunInput = {
  installConfigId: string;
  /** Absent when no Connection is bound. */
  bound?: BoundInput;
  /** Values from other Capsules, sealed when the plan was created; absent without Dependencies. */
  dependencySnapshotId?: string;
  /** Runs of the group that this one starts after. */
  waitsFor?: readonly string[];
  configDigest: string;
  reportId: string;
  sourceSnapshotId: string;
  requirementsDigest: string;
  /** Values from other Capsules. */
  dependencyDigest?: string;
  /** Version of the key that seals the output of the Run; recorded when the Run is handed to its supervisor. */
  keyVersion?: number;
  cancelledBy?: string;
  /** Folders outside the Capsule's own that the Run may write to, as they were when the plan was created. */
  writablePaths?: readonly string[];
};
