import { type CapsuleRun, isApplyRun, type RunsService } from '#server/domains/runs/index';
import { interimVersion, type Vault } from '#server/drivers/vault/index';
import type { Job } from '#server/runner/index';
import type { ExecutionStore } from './store.ts';

export type PinPorts = {
  vault: Pick<Vault, 'keyVersion'>;
  runs: Pick<RunsService, 'getCapsuleRun' | 'extendInput'>;
};
type Deps = PinPorts & {
  vault: Vault;
  store: Pick<ExecutionStore, 'findKeyVersionBefore'>;
};

/**
 * Version of the key that seals the output of a Run: recorded when the Run is handed to its supervisor; Runs of the first versions have
 * none.
 */
const keyVersionOf = ({ input }: CapsuleRun): number => input.keyVersion ?? interimVersion;

/** The key of the files that an apply left in its folder, base64. */
export const runKey = (vault: Vault, run: CapsuleRun): string => keyAt(vault, run, keyVersionOf(run));

const keyAt = (vault: Vault, { workspaceId, capsuleId }: CapsuleRun, version: number): string =>
  vault.capsuleKey({ workspaceId, capsuleId }, version).toString('base64');

/**
 * Records the newest key version in a Run, before anything is sealed with it, and returns it. A Run that is taken over
 * keeps its own.
 */
export function pinKey({ id, workspaceId }: CapsuleRun, { vault, runs }: PinPorts): number {
  const keyVersion = vault.keyVersion(workspaceId);
  const run = runs.getCapsuleRun(id);
  if (run.input.keyVersion !== keyVersion) runs.extendInput(run, { keyVersion });
  return keyVersion;
}

/**
 * Chooses the keys of a Run: the newest seals its output, and an apply opens with the key of its plan, so that a key rotation does not
 * invalidate reviewed plans.
 */
export function createSealing({ vault, runs, store }: Deps) {
  /** The key of the files that the previous Run left in the Capsule's folder, when it differs and still exists. */
  function findFormerKey(run: CapsuleRun, keyVersion: number): string | undefined {
    const version = store.findKeyVersionBefore(run.capsuleId, run.seq);
    if (version === undefined || version === keyVersion) return undefined;
    try {
      return keyAt(vault, run, version);
    } catch {
      // It was removed because nothing needed it.
      return undefined;
    }
  }

  return (run: CapsuleRun, mode: Job['mode']): Job['sealing'] => {
    const keyVersion = mode === 'run' ? pinKey(run, { vault, runs }) : keyVersionOf(run);
    const encryptionKey = keyAt(vault, run, keyVersion);
    if (isApplyRun(run)) {
      const planVersion = keyVersionOf(runs.getCapsuleRun(run.planRunId));
      return { keyVersion, encryptionKey, decryptionKey: keyAt(vault, run, planVersion) };
    }
    // A command has one key to open with and one to seal with, and a plan that was just sealed is read at once.
    const formerKey = findFormerKey(run, keyVersion);
    return { keyVersion, encryptionKey, decryptionKey: encryptionKey, ...(formerKey && { formerKey }) };
  };
}
