import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunRecord } from '#server/domains/runs/index';
import { openSealed } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import { digestOf } from '#server/kernel/digest';
import { isDiskFault } from '#server/kernel/disk';
import { type ApplyOutcome, findLastState } from '#server/runner/index';
import type { RunErrorCode } from '#shared/errors';
import { type Folders, runDirOf } from './job-spec.ts';
import { runKey } from './key-versions.ts';

/** An apply whose tool may have changed the world and of which nobody is left to tell the end. */
export type LostApply = { kind: 'lost'; errorCode: RunErrorCode; message: string; isReported?: boolean };

/** How an apply came to its end, whoever told it. */
export type ApplyEnd = {
  succeeded: boolean;
  providerDispatched: boolean;
  errorCode: RunErrorCode;
  /** Why, when nobody has told it in the feed yet. */
  untold: string | undefined;
  /** What the stream did not tell did not begin. */
  isContinuous: boolean;
  /** Something changed that the plan does not name. */
  hasDeviated: boolean;
  /** The state it left, in clear, when there is one that can be trusted. */
  text: string | undefined;
};

const noState = 'The apply left no state that can be trusted. Check its resources, then plan again.';

/** Reads how an apply ended and which state it left: the copy its supervisor named, else the newest that is to be found. */
export function createApplyEnd({ folders, vault }: { folders: Folders; vault: Vault }) {
  /** Undefined for a key that was removed: nothing sealed with it will ever be read, and the Run must end all the same. */
  function keyOf(run: RunRecord): string | undefined {
    try {
      return runKey(vault, run);
    } catch (error) {
      // A sealed vault and a ledger that does not read have a code of their own, and are waited for.
      if ((error as { code?: unknown }).code !== undefined) throw error;
      return undefined;
    }
  }

  /** Undefined for a copy that is gone or is not the very one; an older one may still be there then. */
  function openNamed(run: RunRecord, { file, digest }: NonNullable<ApplyOutcome['state']>): string | undefined {
    const key = keyOf(run);
    if (key === undefined) return undefined;
    try {
      const sealed = readFileSync(path.join(runDirOf(folders, run.id), path.basename(file)));
      const text = openSealed(sealed, key).toString('utf8');
      return digestOf(text) === digest ? text : undefined;
    } catch (error) {
      // A disk that does not read for a moment makes no failure of a success.
      if (isDiskFault(error)) throw error;
      return undefined;
    }
  }

  function findLast(run: RunRecord): string | undefined {
    const key = keyOf(run);
    if (key === undefined) return undefined;
    const capsuleDir = path.join(folders.capsules, run.capsuleId ?? '');
    return findLastState({
      runDir: runDirOf(folders, run.id),
      capsuleDir,
      toolName: run.facts.toolName ?? 'tofu',
      key,
    });
  }

  function reportedEnd(run: RunRecord, outcome: ApplyOutcome): ApplyEnd {
    const { state, providerDispatched, errorCode } = outcome;
    const named = state && openNamed(run, state);
    // Success is the state that was read after it: without that very one there is none.
    const succeeded = outcome.succeeded && named !== undefined;
    return {
      succeeded,
      providerDispatched: providerDispatched || outcome.succeeded,
      errorCode: errorCode ?? 'state_save_failed',
      untold: outcome.succeeded && !succeeded ? noState : undefined,
      isContinuous: outcome.isContinuous === true,
      hasDeviated: outcome.deviated === true,
      text: named ?? findLast(run),
    };
  }

  return (run: RunRecord, end: ApplyOutcome | LostApply): ApplyEnd => {
    if (end.kind === 'apply') return reportedEnd(run, end);
    const { errorCode, message, isReported } = end;
    return {
      succeeded: false,
      providerDispatched: true,
      errorCode,
      untold: isReported === true ? undefined : message,
      isContinuous: false,
      hasDeviated: false,
      text: findLast(run),
    };
  };
}
