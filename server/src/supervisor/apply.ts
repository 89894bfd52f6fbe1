import path from 'node:path';
import { applyArgs, openSealed } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { readPlainFile, writeAtomically } from '../os/durable-file.ts';
import type { ApplyOutcome } from '../runner/contract/execution-spec.ts';
import { keepBaseline } from '../runner/contract/facts-file.ts';
import { type Baseline, digestOf, writeBaselineState } from '../runner/contract/state-file.ts';
import { runCommand } from './command/command.ts';
import { prewarmFirst } from './command/prewarm.ts';
import { conclude } from './conclude.ts';
import { RunFailure } from './failure.ts';
import { initialise } from './initialise.ts';
import { disconnect } from './network/connect.ts';
import { planMaxBytes } from './plan-file.ts';
import type { CommandRequest, SupervisedRun } from './run.ts';
import { type ApplyProgress, createApplyProgress } from './state/apply-progress.ts';
import { keepSnapshots } from './state/snapshots.ts';
import { writePlan } from './workspace/planned-file.ts';
import { plainCliConfig } from './workspace/provider-sources.ts';
import { applyVariables } from './workspace/variables.ts';
import { openWorkspace } from './workspace/workspace.ts';

/** Applies exactly the bytes of a reviewed plan. The outcome depends on the state that is read afterwards. */
export async function runApply(run: SupervisedRun): Promise<ApplyOutcome> {
  takePlan(run);
  const baseline = writeBaselineState(run, lineageOf(run)) as Baseline;
  const progress = createApplyProgress(run);
  const request = prepareApply(run, progress);
  await prewarmFirst(run, request);
  const workspace = openWorkspace(run);
  await initialise(run, workspace);
  if (run.cancel.isRequested)
    throw new RunFailure('cancelled', 'apply', 'The Run was cancelled before anything was changed.');
  run.report.phase('apply', 'started');
  workspace.restore();
  removeTree(path.join(run.layout.moduleDir, 'errored.tfstate'));
  run.syncs.add(keepBaseline(run.spec.runDir, baseline));
  const captures = keepSnapshots(run, baseline);
  const end = await runCommand(run, request);
  disconnect(run);
  return conclude(run, {
    baseline,
    captures,
    progress,
    exitCode: end.exitCode,
    interrupted: end.interrupted,
    isContinuous: true,
    exceeded: end.exceeded,
  });
}

function prepareApply(run: SupervisedRun, progress: ApplyProgress): CommandRequest {
  const variables = applyVariables(run);
  const { variablesFile, plan } = run.layout.seen;
  return {
    name: 'apply',
    phase: 'apply',
    argv: applyArgs({ planFile: plan, ...(variables === undefined ? {} : { varFile: variablesFile }) }),
    sink: run.report.listen({ phase: 'apply', onEvent: progress.take }),
    network: true,
    writable: { state: true, data: false },
    variables,
    hasPlan: true,
    outlives: true,
    cliConfig: plainCliConfig(run),
  };
}

/**
 * Copies the plan into this Run and compares it with the digest that was reviewed. After a power cut it is copied
 * again, so the copy need not be durable.
 */
function takePlan(run: SupervisedRun): void {
  const { spec, layout } = run;
  const source = spec.plan === null ? undefined : path.join(spec.plan.runDir, 'plan');
  const sealed = source === undefined ? undefined : readPlainFile(source, planMaxBytes);
  if (sealed === undefined || digestOf(sealed) !== spec.plan?.digest) {
    throw new RunFailure('plan_seal_mismatch', 'apply', 'The saved plan is not the one that was reviewed. Plan again.');
  }
  writeAtomically(layout.sealedPlan, sealed);
  writePlan(run, () => openSealed(sealed, spec.sealing.decryptionKey));
}

/** Returns the lineage of a first state: unpredictable for others, and the same when the work of a dead supervisor is repeated. */
function lineageOf({ spec }: SupervisedRun): string {
  const hex = digestOf(`lineage ${spec.capsuleId} ${spec.runId} ${spec.sealing.encryptionKey}`).slice(7);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
