import { limits } from '#shared/limits';
import { isApplyType, isPlanType, type RunStatus, type RunType } from '#shared/runs/contract';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Minimum retention of the records of an apply: they are the only evidence of resources that it created. */
const leastEvidenceDays = 30;
/** As long as a plan can be applied. */
const offeredDays = limits.planTtlHours / 24;

/** Retention after the last use, in milliseconds. */
export type Periods = {
  /** Folders of ended Runs: an exiting process may still read them. */
  settledMs: number;
  /** Items without a row in the ledger: they may be in progress, or the ledger may be an older copy. */
  unknownMs: number;
  /** States that an apply left outside the ledger. */
  evidenceMs: number;
  /** Proposals of a check: a page that was left open for days can still install from them. Independent of free disk space. */
  offeredMs: number;
  /** Plans of scheduled drift checks. */
  checksMs: number;
  /** Replaceable files: archives and provider packages that nothing needs. */
  unusedMs: number;
};

/** Returns the retention periods; when the disk is nearly full, replaceable files are removed sooner. */
export const periodsOf = (keepDays: number, isDiskLow: boolean): Periods => ({
  settledMs: isDiskLow ? hourMs / 12 : hourMs,
  unknownMs: dayMs,
  evidenceMs: Math.max(keepDays, leastEvidenceDays) * dayMs,
  offeredMs: offeredDays * dayMs,
  checksMs: keepDays * dayMs,
  unusedMs: isDiskLow ? hourMs : keepDays * dayMs,
});

/** Facts about a Run for the decision on its folder. */
export type RunFacts = {
  type: RunType;
  status: RunStatus;
  applyRunId: string | null;
  supersededAt: number | null;
  planExpiresAt: number | null;
  finishedAt: number | null;
  /** Status of the Run that applies this plan. */
  applyStatus: RunStatus | undefined;
  /** Status of the Capsule: a destroyed one does not apply plans any more. */
  isCapsuleGone: boolean;
};
/** `thin`: everything is removed except states that exist nowhere else. */
export type Fate = 'keep' | 'thin' | 'remove';

const isUnderWay = (status: RunStatus | undefined): boolean => status === 'queued' || status === 'running';

/**
 * True when an apply may still request the sealed plan of this Run. The review rules decide about the apply, and may refuse it for more
 * reasons.
 */
export function mayBeApplied(run: RunFacts, now: number): boolean {
  if (!isPlanType(run.type) || run.type === 'drift_check' || run.isCapsuleGone) return false;
  if (run.applyRunId !== null) return isUnderWay(run.applyStatus);
  if (run.supersededAt !== null) return false;
  return run.status === 'waiting_approval' || (run.status === 'succeeded' && (run.planExpiresAt ?? 0) > now);
}

/** Decides about the folder of a Run in the ledger. */
export function fateOfRun(run: RunFacts, now: number, periods: Periods): Fate {
  if (isUnderWay(run.status) || run.status === 'waiting_approval' || mayBeApplied(run, now)) return 'keep';
  const age = now - (run.finishedAt ?? now);
  if (age < periods.settledMs) return 'keep';
  return age < periods.evidenceMs ? 'thin' : 'remove';
}

/** Decides about a folder without a row, by the time of the last change in it. */
export function fateOfUnknown(changedAt: number, now: number, periods: Periods): Fate {
  const age = now - changedAt;
  if (age < periods.unknownMs) return 'keep';
  return age < periods.evidenceMs ? 'thin' : 'remove';
}

const rescued = /^(?:errored|emergency|found)\.tfstate$/;
const copied = /^(?:state-.*\.tfstate|apply\.json)$/;

/** True when a file in a Run's folder contains a state that may exist nowhere else: that of a successful apply is in the ledger. */
export function isEvidence(name: string, run: Pick<RunFacts, 'type' | 'status'> | undefined): boolean {
  if (rescued.test(name)) return true;
  const isInLedger = run !== undefined && (!isApplyType(run.type) || run.status === 'succeeded');
  return !isInLedger && copied.test(name);
}
