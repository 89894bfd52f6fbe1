import type { CapsuleRow } from '#server/domains/capsules/index';
import type { LifecycleStore } from '#server/domains/lifecycle/index';
import { type ApplyRun, isApplyRun, type RunsService } from '#server/domains/runs/index';
import { canonicalJson, digestOf, jsonDigest } from '#server/kernel/digest';
import { vendor } from '#shared/vendor';
import type { RecoveryStore, StoredRow } from './recovery-store.ts';

/**
 * Shows without any value that the provider apply of a Capsule succeeded and only an action after it did not: ids and
 * digests of whole rows.
 */
export type RecoveryProof = {
  contract: string;
  applyRunId: string;
  applyRunDigest: string;
  stateVersionId: string;
  stateVersionDigest: string;
  outputId: string;
  outputDigest: string;
  generation: number;
  /** Digest of the results of the actions. */
  evidenceDigest: string;
};

type Ports = {
  store: RecoveryStore;
  lifecycle: Pick<LifecycleStore, 'list'>;
  findRun: RunsService['findRecord'];
};
export type RecoveryProofs = ReturnType<typeof createRecoveryProofs>;
type Committed = NonNullable<ApplyRun['input']['committed']>;

const contract = `${vendor}.capsule-recovery-proof/v1`;
const evidenceDomain = `${vendor}.lifecycle-evidence/v1`;

/** Digest of a whole stored row; bytes enter by their own digest. */
const rowDigest = (row: StoredRow): string =>
  jsonDigest(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? digestOf(value) : value]),
    ),
  );

/** Finds the proof that opens a re-adoption after a failed action. */
export function createRecoveryProofs({ store, lifecycle, findRun }: Ports) {
  /** Returns the apply whose state is current and whose actions failed, when it is the latest Run that had an effect. */
  function findFailedApply(capsule: CapsuleRow): (Committed & { id: string }) | undefined {
    if (capsule.runtimeSafety !== 'unknown') return undefined;
    const id = store.findDecisiveRun(capsule.id);
    const run = id === undefined ? undefined : findRun(id);
    if (!run || !isApplyRun(run) || run.type !== 'apply') return undefined;
    const { committed } = run.input;
    const hasFailed = run.status === 'failed' && run.errorCode === 'capsule_lifecycle_action_failed';
    return hasFailed && committed?.stateVersionId === capsule.currentStateVersionId
      ? { ...committed, id: run.id }
      : undefined;
  }

  function evidenceDigestOf(runId: string): string {
    const actions = lifecycle.list(runId).map(({ actionId, phase, result }) => ({ id: actionId, phase, result }));
    return digestOf(`${evidenceDomain}\0${canonicalJson({ runId, actions })}`);
  }

  /** Returns undefined unless only an action after the latest apply has failed. */
  function find(capsule: CapsuleRow): RecoveryProof | undefined {
    const failed = findFailedApply(capsule);
    if (!failed) return undefined;
    const { id: applyRunId, stateVersionId, outputId, generation } = failed;
    const [run, stateVersion, output] = [
      store.findRun(applyRunId),
      store.findStateVersion(stateVersionId),
      store.findOutput(outputId),
    ];
    if (!run || !stateVersion || !output || generation !== capsule.currentStateGeneration) return undefined;
    if (stateVersion['partial'] !== 0 || stateVersion['created_by_run_id'] !== applyRunId) return undefined;
    return {
      contract,
      applyRunId,
      applyRunDigest: rowDigest(run),
      stateVersionId,
      stateVersionDigest: rowDigest(stateVersion),
      outputId,
      outputDigest: rowDigest(output),
      generation,
      evidenceDigest: evidenceDigestOf(applyRunId),
    };
  }

  return {
    find,
    /** Digest of the proof for the guard of the Capsule; null without one. */
    digestOf(capsule: CapsuleRow): string | null {
      const proof = find(capsule);
      return proof ? jsonDigest(proof) : null;
    },
  };
}
