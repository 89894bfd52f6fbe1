import { limits } from '#shared/limits';
import { isApplyType, isPlanType, type RunStatus, type RunType } from '#shared/runs/contract';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What tells how far an apply came is the only witness of things that were made: it stays at least this long. */
const leastEvidenceDays = 30;
/** As long as a plan can be applied. */
const offeredDays = limits.planTtlHours / 24;

/** How long something stays after its last use, in milliseconds. */
export type Periods = {
  /** What has just ended: somebody on its way out may still look at it. */
  settledMs: number;
  /** What no row of the ledger names: it may be in the making, or the ledger may be an older copy. */
  unknownMs: number;
  /** States that an apply left behind outside the ledger. */
  evidenceMs: number;
  /** What a check offered: a page that was left open over some days can still install from it. The disk does not matter. */
  offeredMs: number;
  /** What can be had again: archives and provider packages that nothing needs. */
  unusedMs: number;
};

/** On a disk that is nearly full, what can be had again goes at once. */
export const periodsOf = (keepDays: number, isDiskLow: boolean): Periods => ({
  settledMs: isDiskLow ? hourMs / 12 : hourMs,
  unknownMs: dayMs,
  evidenceMs: Math.max(keepDays, leastEvidenceDays) * dayMs,
  offeredMs: offeredDays * dayMs,
  unusedMs: isDiskLow ? hourMs : keepDays * dayMs,
});

/** What is known of a Run when its folder is judged. */
export type RunFacts = {
  type: RunType;
  status: RunStatus;
  applyRunId: string | null;
  supersededAt: number | null;
  planExpiresAt: number | null;
  finishedAt: number | null;
  /** Status of the Run that applies this plan. */
  applyStatus: RunStatus | undefined;
  /** Of the Capsule: a destroyed one applies nothing any more. */
  isCapsuleGone: boolean;
};
/** `thin`: all of it goes but the states that nothing else holds. */
export type Fate = 'keep' | 'thin' | 'remove';

const isUnderWay = (status: RunStatus | undefined): boolean => status === 'queued' || status === 'running';

/** Whether an apply may still ask for the sealed plan of this Run. The rules of the review decide it, and they may say no for more reasons. */
export function mayBeApplied(run: RunFacts, now: number): boolean {
  if (!isPlanType(run.type) || run.type === 'drift_check' || run.isCapsuleGone) return false;
  if (run.applyRunId !== null) return isUnderWay(run.applyStatus);
  if (run.supersededAt !== null) return false;
  return run.status === 'waiting_approval' || (run.status === 'succeeded' && (run.planExpiresAt ?? 0) > now);
}

/** What becomes of the folder of a Run that the ledger knows. */
export function fateOfRun(run: RunFacts, now: number, periods: Periods): Fate {
  if (isUnderWay(run.status) || run.status === 'waiting_approval' || mayBeApplied(run, now)) return 'keep';
  const age = now - (run.finishedAt ?? now);
  if (age < periods.settledMs) return 'keep';
  return age < periods.evidenceMs ? 'thin' : 'remove';
}

/** What becomes of a folder that no row names, by the time something in it changed last. */
export function fateOfUnknown(changedAt: number, now: number, periods: Periods): Fate {
  const age = now - changedAt;
  if (age < periods.unknownMs) return 'keep';
  return age < periods.evidenceMs ? 'thin' : 'remove';
}

const rescued = /^(?:errored|emergency|found)\.tfstate$/;
const copied = /^(?:state-.*\.tfstate|apply\.json)$/;

/** Whether a file of a Run's folder holds a state that may lie nowhere else: that of an apply which ended well is in the ledger. */
export function isEvidence(name: string, run: Pick<RunFacts, 'type' | 'status'> | undefined): boolean {
  if (rescued.test(name)) return true;
  const isInLedger = run !== undefined && (!isApplyType(run.type) || run.status === 'succeeded');
  return !isInLedger && copied.test(name);
}
