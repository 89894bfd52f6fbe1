import path from 'node:path';
import type { PlannedConfiguration } from '#server/drivers/tofu/index';
import { isSealed, type PlanChanges, type StreamedPlan, sealPlan } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { megabytes } from '../os/allowances.ts';
import { readPlainFile, writeDurablyAsync } from '../os/durable-file.ts';
import { isSealing } from '../runner/contract/layout.ts';
import { digestOf } from '../runner/contract/state-file.ts';
import { RunFailure } from './failure.ts';
import { findAlteredConfiguration } from './planned-configuration.ts';
import type { SupervisedRun } from './run.ts';
import { writePlan } from './workspace/planned-file.ts';

/** Plan and its text are read whole by this process, whose memory is separate from the tool's: JSON takes up to twenty times its size. */
export const planMaxBytes = 268_435_456;

/** Computes the digest and seals the file before anything else runs: code that `show` starts could replace the file otherwise. */
export function sealPlanFile(run: SupervisedRun): { planFileDigest: string; bytes: Buffer } {
  const { spec, layout } = run;
  const written = path.join(layout.host.state, 'plan');
  const bytes = readPlainFile(written, planMaxBytes);
  removeTree(written);
  if (run.mismatch !== undefined) throw new RunFailure('tool_version_changed', 'plan', run.mismatch);
  if (bytes === undefined || isSealing(spec) !== isSealed(bytes)) {
    throw new RunFailure(
      'plan_failed',
      'plan',
      `The tool left no plan file that can be kept: there is none, or it is larger than ${megabytes(planMaxBytes)}. Plan again.`,
    );
  }
  const sealed = isSealing(spec) ? bytes : Buffer.from(sealPlan(bytes, spec.sealing.encryptionKey, run.names));
  run.syncs.add(writeDurablyAsync(layout.sealedPlan, sealed));
  writePlan(run, () => bytes);
  return { planFileDigest: digestOf(sealed), bytes };
}

/**
 * Requires that the saved plan matches the reported changes: a program of a provider can try to replace the plan or its
 * text. The tool reports each change while it plans, so a plan that differs is deleted.
 */
export function requireAgreement(run: SupervisedRun, streamed: StreamedPlan, changes: PlanChanges): void {
  const difference = streamed.findDisagreement(changes, run.spec.tool.name);
  if (difference !== undefined) refusePlan(run, 'the changes that the tool reported while planning', difference);
}

/** Requires that the saved plan was made from the configuration of this Run. */
export function requireConfiguration(
  run: SupervisedRun,
  planned: PlannedConfiguration | undefined,
  lock: string,
): void {
  const difference = findAlteredConfiguration(run, planned, lock);
  if (difference !== undefined) refusePlan(run, 'the configuration that was planned', difference);
}

/** Deletes the saved plan and fails the Run. */
export function refusePlan(run: SupervisedRun, what: string, difference: string): never {
  removeTree(run.layout.sealedPlan);
  throw new RunFailure(
    'plan_failed',
    'plan',
    run.redactor.text(
      `The saved plan differs from ${what}: ${difference}. A provider may have altered it, so it was deleted. Check the providers of the module, then plan again.`,
    ),
  );
}
