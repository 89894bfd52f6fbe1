import path from 'node:path';
import {
  createStreamedPlan,
  type Diagnostic,
  isSealed,
  type PlanChanges,
  planArgs,
  projectPlan,
  type StreamEvent,
  type StreamedPlan,
  sealPlan,
} from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { megabytes } from '../os/allowances.ts';
import { readPlainFile, writeDurablyAsync } from '../os/durable-file.ts';
import type { PlanOutcome } from '../runner/contract/execution-spec.ts';
import { isSealing } from '../runner/contract/layout.ts';
import { createCopyTest } from '../runner/contract/redaction/copies.ts';
import { digestOf, writeBaselineState } from '../runner/contract/state-file.ts';
import { runCommand } from './command/command.ts';
import { RunFailure } from './failure.ts';
import { type Initialised, initialise } from './initialise.ts';
import { disconnect } from './network/connect.ts';
import { outsidePathWarnings } from './outside-paths.ts';
import { planFailure } from './plan-failure.ts';
import { findAlteredConfiguration } from './planned-configuration.ts';
import { redactDocument } from './reporting/redact-document.ts';
import { redactDiagnostic } from './reporting/reporter.ts';
import { type CommandEnd, type CommandRequest, hasSucceeded, type SupervisedRun } from './run.ts';
import { openSubstituteProviders, type SubstituteProviders } from './schema/substitute-providers.ts';
import { prepareShow, showPlan } from './show.ts';
import { createValueDigest } from './value-digest.ts';
import { writePlan } from './workspace/planned-file.ts';
import { plainCliConfig } from './workspace/provider-sources.ts';
import { planVariables } from './workspace/variables.ts';
import type { Workspace } from './workspace/workspace.ts';

/** Plan and its text are read whole by this process, whose memory is separate from the tool's: JSON takes up to twenty times its size. */
export const planMaxBytes = 268_435_456;
/** Maximum number of reported diagnostics; the log holds all of them. */
const maxDiagnostics = 200;
const projectionFile = 'plan.json';

/** Runs init if needed, plan and show. Returns a sealed plan file and its redacted projection in the folder of the Run. */
export async function runPlan(run: SupervisedRun, workspace: Workspace): Promise<PlanOutcome> {
  const baseline = writeBaselineState(run);
  const planning = preparePlan(run);
  const initialised = await initialise(run, workspace, planning.request);
  const substitutes = await openSubstituteProviders(run, initialised.lock);
  try {
    return await planInitialised(run, workspace, { baseline, planning, initialised, substitutes });
  } finally {
    substitutes?.close();
  }
}

type Prepared = {
  baseline: ReturnType<typeof writeBaselineState>;
  planning: Planning;
  initialised: Initialised;
  substitutes: SubstituteProviders | undefined;
};

async function planInitialised(run: SupervisedRun, workspace: Workspace, prepared: Prepared): Promise<PlanOutcome> {
  const { baseline, planning, initialised, substitutes } = prepared;
  const showing = prepareShow(run, substitutes);
  run.report.phase('plan', 'started');
  const deadline = performance.now() + run.spec.limits.planSeconds * 1000;
  for (const message of workspace.warnings) {
    planning.diagnostics.push({ severity: 'warning', message });
    run.report.diagnostic({ severity: 'warning', message });
  }
  const step = (request: CommandRequest, next?: CommandRequest) => runStep(run, workspace, { request, next, deadline });
  const planned = await step(planning.request, showing.request);
  disconnect(run);
  if (!hasSucceeded(planned)) throw planFailure(run, planned, planning.diagnostics);
  const { planFileDigest, bytes } = sealPlanFile(run);
  const shown = await showPlan(run, { showing, substitutes, step });
  const projection = projectPlan(shown.text, {
    secrets: run.secrets,
    createCopyTest,
    diagnostics: planning.diagnostics,
    digestOf: createValueDigest(run.spec.comparisonKey),
  });
  // A provider that ran since the last restore may have altered the tree.
  if (shown.isByProviders) workspace.restore();
  requireConfiguration(run, bytes, initialised.lock);
  requireAgreement(run, planning.streamed, projection.changes);
  for (const warning of outsidePathWarnings(run, projection.document.resources).map((one) =>
    redactDiagnostic(one, run.redactor),
  )) {
    projection.document.diagnostics.push(warning);
    run.report.diagnostic(warning);
  }
  const document = JSON.stringify(redactDocument(projection.document, run.redactor));
  run.syncs.add(writeDurablyAsync(path.join(run.spec.runDir, projectionFile), document));
  run.report.phase('plan', 'finished');
  return {
    kind: 'plan',
    planFileDigest,
    summary: projection.summary,
    destructive: projection.destructive,
    ...initialised,
    ...(shown.isByProviders ? { isShownByProviders: true } : {}),
    ...(run.built === undefined ? {} : { builtDigest: run.built.digest }),
    stateLineage: baseline?.lineage ?? '',
    stateSerial: baseline?.serial ?? 0,
    projectionFile,
    addresses: projection.addresses.map((address) => run.redactor.address(address)),
  };
}

/** `diagnostics` are those that the plan reports while it runs. */
type Planning = { request: CommandRequest; diagnostics: Diagnostic[]; streamed: StreamedPlan };

function preparePlan(run: SupervisedRun): Planning {
  const { spec, layout } = run;
  const streamed = createStreamedPlan();
  const diagnostics: Diagnostic[] = [];
  const sink = run.report.listen({
    phase: 'plan',
    onEvent(event) {
      checkTool(run, event);
      streamed.take(event);
      if (event.kind === 'diagnostic' && diagnostics.length < maxDiagnostics) {
        const { kind: _, ...diagnostic } = event;
        diagnostics.push(redactDiagnostic(diagnostic, run.redactor));
      }
      return true;
    },
  });
  const request: CommandRequest = {
    name: 'plan',
    phase: 'plan',
    argv: planArgs({
      out: path.posix.join(layout.seen.state, 'plan'),
      varFile: layout.seen.variablesFile,
      destroy: spec.operation === 'destroy_plan',
      refreshOnly: spec.operation === 'drift_check',
    }),
    sink,
    network: true,
    writable: { state: true, data: false },
    variables: planVariables(run),
    hasPlan: false,
    outlives: false,
    cliConfig: plainCliConfig(run),
  };
  return { request, diagnostics, streamed };
}

type Step = { request: CommandRequest; next: CommandRequest | undefined; deadline: number };

/** Runs a command within the remaining time; none is started after a cancel. */
function runStep(run: SupervisedRun, workspace: Workspace, { request, next, deadline }: Step): Promise<CommandEnd> {
  workspace.restore();
  if (run.cancel.isRequested) throw new RunFailure('cancelled', 'plan', 'The Run was cancelled.');
  const limitSeconds = Math.max(1, (deadline - performance.now()) / 1000);
  return runCommand(run, request, { limitSeconds, ...(next && { next }) });
}

/** Checks the tool named in the stream: another one than the ledger chose could read the state differently. */
function checkTool(run: SupervisedRun, event: StreamEvent): void {
  if (event.kind !== 'version') return;
  const { name, version } = run.spec.tool;
  if (event.tool === name && event.version === version) return;
  run.mismatch = `The tool is ${event.tool} ${event.version}, but ${name} ${version} was chosen. Plan again.`;
}

/** Computes the digest and seals the file before anything else runs: code that `show` starts could replace the file otherwise. */
function sealPlanFile(run: SupervisedRun): { planFileDigest: string; bytes: Buffer } {
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
function requireAgreement(run: SupervisedRun, streamed: StreamedPlan, changes: PlanChanges): void {
  const difference = streamed.findDisagreement(changes, run.spec.tool.name);
  if (difference !== undefined) refusePlan(run, 'the changes that the tool reported while planning', difference);
}

function requireConfiguration(run: SupervisedRun, planFile: Buffer, lock: string): void {
  const difference = findAlteredConfiguration(run, planFile, lock);
  if (difference !== undefined) refusePlan(run, 'the configuration that was planned', difference);
}

function refusePlan(run: SupervisedRun, what: string, difference: string): never {
  removeTree(run.layout.sealedPlan);
  throw new RunFailure(
    'plan_failed',
    'plan',
    run.redactor.text(
      `The saved plan differs from ${what}: ${difference}. A provider may have altered it, so it was deleted. Check the providers of the module, then plan again.`,
    ),
  );
}
