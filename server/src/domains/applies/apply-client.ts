import type { CapsuleClients } from '#server/domains/issuer/index';
import type { ApplyRun } from '#server/domains/runs/index';

export type ClientPorts = { capsuleClients: Pick<CapsuleClients, 'recordApply'> };

/** Registers the client by which the module of an apply signs its users in, in the transaction that ends it. */
export const createClientRecorder =
  ({ capsuleClients }: ClientPorts) =>
  ({ id, workspaceId, capsuleId, executionAuthorityEpoch, input }: ApplyRun): void =>
    capsuleClients.recordApply({
      runId: id,
      workspaceId,
      capsuleId,
      executionAuthorityEpoch: executionAuthorityEpoch ?? 0,
      installConfigDigest: input.configDigest,
      authority: input.oidcAuthority,
    });
