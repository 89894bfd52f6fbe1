import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isSealed, readState, type State, sealPlan } from '#server/drivers/tofu/index';
import { isDiskFault } from '#server/kernel/disk';
import { allowancesOf, type Exceeded, exceededMessage } from '../os/allowances.ts';
import { readPlainFile, writeDurably } from '../os/durable-file.ts';
import type { ApplyOutcome } from '../runner/contract/execution-spec.ts';
import { type Baseline, openStateBytes, openStoredState } from '../runner/contract/state-file.ts';
import { neverStarted } from './command/gate.ts';
import type { SupervisedRun } from './run.ts';
import type { ApplyProgress } from './state/apply-progress.ts';
import type { Snapshot, StateCaptures } from './state/snapshots.ts';
import { findUnmetChange } from './state/unmet-change.ts';
import { findUnplannedResources } from './state/unplanned-resources.ts';

type ApplyFacts = {
  baseline: Baseline;
  captures: StateCaptures;
  progress: ApplyProgress;
  /** Exit code of the tool; undefined when it is unknown. */
  exitCode: number | undefined;
  interrupted: boolean;
  /** True when one supervisor read the whole stream. */
  isContinuous: boolean;
  /** Limits that were exceeded. The supervisor never ends an apply for one. */
  exceeded: readonly Exceeded[];
};

/** Maximum size of a recovered state: its sealed form is a third longer, and the length of a text is limited. */
const recoveredMaxBytes = 134_217_728;

/**
 * Returns the outcome of an apply whose tool has ended. An exit code of 0 is not sufficient: the state is read again,
 * its lineage must be that of the baseline, its serial not lower than any seen, and it must contain the planned
 * changes.
 */
export async function conclude(run: SupervisedRun, facts: ApplyFacts): Promise<ApplyOutcome> {
  run.report.phase('apply', 'finished');
  const { baseline, captures, progress, exitCode } = facts;
  const isSaved = await withFreedSpace(() => captures.finish());
  const isRecovered = await withFreedSpace(() => recover(run, facts));
  const { best } = captures;
  const { isGood, unplanned } = judge(run, facts, isSaved && !isRecovered);
  const succeeded = exitCode === 0 && isGood && unplanned.length === 0;
  const notDispatched = exitCode === neverStarted || (facts.isContinuous && exitCode !== 0 && !progress.isStarted);
  const errorCode = succeeded ? undefined : errorCodeOf(facts, isGood);
  return {
    kind: 'apply',
    succeeded,
    ...(errorCode === undefined
      ? {}
      : { errorCode, message: messageOf(run, { errorCode, unplanned }, facts.exceeded) }),
    ...(unplanned.length > 0 && { deviated: true as const }),
    // A prewritten empty state returns under a new serial from an apply that reached no provider.
    providerDispatched: (best !== undefined && best.content !== baseline.content) || !notDispatched,
    ...(best === undefined ? {} : { state: stateOf(best) }),
    // Events that an adopting supervisor could not read are not held against a tool that succeeded.
    unfinished: succeeded ? [] : progress.unfinished(),
    isContinuous: facts.isContinuous && exitCode !== undefined && exitCode < neverStarted,
  };
}

/** Reports whether the state can be trusted and contains the planned changes, and what changed without a plan. */
function judge(run: SupervisedRun, { exitCode, captures, progress }: ApplyFacts, isWhole: boolean) {
  const after = isWhole && exitCode === 0 ? readBest(run, captures.best) : undefined;
  const isGood = exitCode === 0 ? after !== undefined && holdsPlan(run, after) : isWhole;
  return { isGood, unplanned: findUnplanned(run, progress, isGood ? after : undefined) };
}

/** Reads the state to record; once, because it can be large. */
const readBest = (run: SupervisedRun, best: Snapshot | undefined): State | undefined =>
  best && openStoredState(run, best.file)?.state;

/** Returns addresses that changed without a plan: for a failed apply from its events only, for a successful one also from its state. */
function findUnplanned(run: SupervisedRun, progress: ApplyProgress, after: State | undefined): readonly string[] {
  const reported = progress.unplanned();
  if (after === undefined) return reported;
  const before = run.spec.state === null ? undefined : readState(run.spec.state.text);
  const states = { changes: run.spec.plan?.changes ?? [], before, after };
  return [...new Set([...reported, ...findUnplannedResources(states, run.redactor.address)])];
}

function holdsPlan(run: SupervisedRun, after: State): boolean {
  const unmet = findUnmetChange(run.spec.plan?.changes ?? [], after, run.redactor.address);
  if (unmet === undefined) return true;
  const { address, expected } = unmet;
  const fact = expected === 'present' ? 'is not in the state after it' : 'is still in the state after it';
  run.report.say('apply', 'error', `The tool reported success, but ${address} ${fact}.`);
  return false;
}

const stateOf = ({ file, lineage, serial, digest }: Snapshot): NonNullable<ApplyOutcome['state']> => ({
  file,
  lineage,
  serial,
  digest,
});

const messages: { readonly [code in NonNullable<ApplyOutcome['errorCode']>]: string } = {
  apply_failed: 'The apply failed. What was reached is recorded; read the diagnostics and plan again.',
  apply_interrupted:
    'The apply was interrupted. What was reached is recorded; check the unfinished resources and plan again.',
  state_save_failed:
    'The tool did not leave a state that can be trusted. The newest good one is recorded; check the resources and plan again.',
};

const namedAddresses = 5;

function deviation(addresses: readonly string[]): string {
  const more = addresses.length - namedAddresses;
  const named = addresses.slice(0, namedAddresses).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `The apply changed what the reviewed plan does not name: ${named}. What was reached is recorded. Check these resources and the providers of the module before you plan again.`;
}

/** Returns the message of the outcome. A limit enforced by the kernel comes first, because it caused the other failures. */
function messageOf(
  { spec }: SupervisedRun,
  { errorCode, unplanned }: { errorCode: keyof typeof messages; unplanned: readonly string[] },
  exceeded: readonly Exceeded[],
): string {
  const allowances = allowancesOf(spec);
  if (unplanned.length > 0) return deviation(unplanned);
  const why = exceeded.filter((name) => name === 'memory' || name === 'processes');
  return [...why.map((name) => exceededMessage(name, { what: 'apply', allowances })), messages[errorCode]].join(' ');
}

function errorCodeOf({ exitCode, interrupted }: ApplyFacts, isGood: boolean): NonNullable<ApplyOutcome['errorCode']> {
  // A killed tool usually leaves a truncated state, so the message reports the interruption.
  if (interrupted || exitCode === undefined || exitCode >= neverStarted) return 'apply_interrupted';
  return isGood ? 'apply_failed' : 'state_save_failed';
}

/**
 * Recovers a state that the tool could not save: it prints it or leaves `errored.tfstate`. Both are stored sealed,
 * never logged, and count when they are newer than every state seen. Returns true when there was one.
 */
function recover(run: SupervisedRun, facts: ApplyFacts): boolean {
  const { captures, progress } = facts;
  let isTaken = false;
  const candidates = [
    { name: 'errored.tfstate', bytes: takeErroredState(run) },
    // Code of the module prints into the same stream; a tool that succeeded did not print a state.
    { name: 'emergency.tfstate', bytes: facts.exitCode === 0 ? undefined : progress.stateDump() },
  ];
  for (const { name, bytes } of candidates) {
    if (bytes === undefined) continue;
    const sealed = isSealed(bytes) ? bytes : sealPlan(bytes, run.spec.sealing.encryptionKey, run.names);
    writeDurably(path.join(run.spec.runDir, name), sealed);
    const state = openStateBytes(run, bytes);
    if (state !== undefined && captures.add(state)) isTaken = true;
  }
  return isTaken || candidates[0]?.bytes !== undefined;
}

function takeErroredState({ layout }: SupervisedRun): Buffer | undefined {
  const file = path.join(layout.moduleDir, 'errored.tfstate');
  try {
    // A module can replace a parent folder by a link; files elsewhere are not read.
    if (
      realpathSync(layout.moduleDir) !==
      path.resolve(realpathSync(layout.host.tree), path.relative(layout.host.tree, layout.moduleDir))
    ) {
      return undefined;
    }
  } catch {
    return undefined;
  }
  const bytes = readPlainFile(file, recoveredMaxBytes);
  if (bytes !== undefined) rmSync(file, { force: true });
  return bytes;
}

const retryMs = 2_000;

/** Retries until the disk has free space, so that the state reached by an apply is not lost. */
async function withFreedSpace<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      await delay(retryMs);
    }
  }
}
