import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Folders, type LostApply, runDirOf, runKey } from '#server/domains/execution/index';
import type { ApplyRun } from '#server/domains/runs/index';
import { openSealed } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import { digestOf } from '#server/kernel/digest';
import { isDiskFault } from '#server/kernel/disk';
import { type ApplyOutcome, findLastState, type LastState } from '#server/runner/index';
import type { RunErrorCode } from '#shared/errors';
import { localPool } from '#shared/runs/contract';

/** Result of an apply, from its supervisor or reconstructed. */
export type ApplyEnd = {
  succeeded: boolean;
  providerDispatched: boolean;
  errorCode: RunErrorCode;
  /** Reason, when the feed does not contain it yet. */
  unreported: string | undefined;
  /** Resources that the stream does not name were not started. */
  isContinuous: boolean;
  /** True when a resource changed that the plan does not name. */
  hasDeviated: boolean;
  /** The resulting state, in clear, when there is a trustworthy one. */
  text: string | undefined;
  /** Set for a lost apply of another machine: when its newest state arrived; `at` is undefined when none did. */
  arrival?: { at: number | undefined };
};

const noState = 'The apply left no trustworthy state. Check its resources, then plan again.';

/** Reads the result and the state of an apply: the copy that its supervisor named, otherwise the newest one found. */
export function createApplyEnd({ folders, vault }: { folders: Folders; vault: Vault }) {
  /** Undefined for a key that was removed: data sealed with it can never be read, and the Run must end all the same. */
  function keyOf(run: ApplyRun): string | undefined {
    try {
      return runKey(vault, run);
    } catch (error) {
      // A sealed vault and an unreadable ledger have error codes of their own, and are waited for.
      if ((error as { code?: unknown }).code !== undefined) throw error;
      return undefined;
    }
  }

  /** Undefined for a copy that is missing or is not the recorded one; an older copy may still exist then. */
  function openNamed(run: ApplyRun, { file, digest }: NonNullable<ApplyOutcome['state']>): string | undefined {
    const key = keyOf(run);
    if (key === undefined) return undefined;
    try {
      const sealed = readFileSync(path.join(runDirOf(folders, run.id), path.basename(file)));
      const text = openSealed(sealed, key).toString('utf8');
      return digestOf(text) === digest ? text : undefined;
    } catch (error) {
      // A temporary read error of the disk must not turn a success into a failure.
      if (isDiskFault(error)) throw error;
      return undefined;
    }
  }

  function findLast(run: ApplyRun): LastState | undefined {
    const key = keyOf(run);
    if (key === undefined) return undefined;
    const capsuleDir = path.join(folders.capsules, run.capsuleId);
    return findLastState({
      runDir: runDirOf(folders, run.id),
      capsuleDir,
      toolName: run.facts.toolName ?? 'tofu',
      key,
    });
  }

  function reportedEnd(run: ApplyRun, outcome: ApplyOutcome): ApplyEnd {
    const { state, providerDispatched, errorCode } = outcome;
    const named = state && openNamed(run, state);
    // Success requires the state that was read after the apply: without exactly that state the apply did not succeed.
    const succeeded = outcome.succeeded && named !== undefined;
    return {
      succeeded,
      providerDispatched: providerDispatched || outcome.succeeded,
      errorCode: errorCode ?? 'state_save_failed',
      unreported: outcome.succeeded && !succeeded ? noState : undefined,
      isContinuous: outcome.isContinuous === true,
      hasDeviated: outcome.deviated === true,
      text: named ?? findLast(run)?.text,
    };
  }

  return (run: ApplyRun, end: ApplyOutcome | LostApply): ApplyEnd => {
    if (end.kind === 'apply') return reportedEnd(run, end);
    const { errorCode, message, isReported } = end;
    const last = findLast(run);
    return {
      succeeded: false,
      providerDispatched: true,
      errorCode,
      unreported: isReported === true ? undefined : message,
      isContinuous: false,
      hasDeviated: false,
      text: last?.text,
      ...(run.runnerPool !== localPool && { arrival: { at: last?.writtenAt } }),
    };
  };
}
