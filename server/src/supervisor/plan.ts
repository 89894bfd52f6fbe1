import path from 'node:path';
import { type PlannedConfiguration, projectPlan } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { writeDurablyAsync } from '../os/durable-file.ts';
import type { PlanOutcome } from '../runner/contract/execution-spec.ts';
import { createCopyTest } from '../runner/contract/redaction/copies.ts';
import { planDocumentFile } from '../runner/contract/run-file-names.ts';
import { writeBaselineState } from '../runner/contract/state-file.ts';
import { runCommand } from './command/command.ts';
import { discardPrewarmed, prewarmFirst } from './command/prewarm.ts';
import { RunFailure } from './failure.ts';
import { type AssumedFolder, assumeInitialised, type Initialised, initialise } from './initialise.ts';
import { disconnect } from './network/connect.ts';
import { outsidePathWarnings } from './outside-paths.ts';
import { planFailure } from './plan-failure.ts';
import { refusePlan, requireAgreement, requireConfiguration, sealPlanFile } from './plan-file.ts';
import { readPlanned } from './planned-configuration.ts';
import { type Planning, preparePlan } from './planning.ts';
import { redactDocument } from './reporting/redact-document.ts';
import { redactDiagnostic } from './reporting/reporter.ts';
import { type CommandEnd, type CommandRequest, hasSucceeded, type SupervisedRun, wasEnded } from './run.ts';
import { openExpected, openInstalled } from './schema/open-substitutes.ts';
import type { SubstituteProviders } from './schema/substitute-providers.ts';
import { prepareShow, showPlan } from './show.ts';
import { createValueDigest } from './value-digest.ts';
import { removeStamp } from './workspace/init-stamp.ts';
import { openWorkspace, type Workspace } from './workspace/workspace.ts';

/** Runs init if needed, plan and show. Returns a sealed plan file and its redacted projection in the folder of the Run. */
export async function runPlan(run: SupervisedRun): Promise<PlanOutcome> {
  const baseline = writeBaselineState(run);
  const { lock, isWithoutPackages } = run.spec;
  const recorded = lock === null ? undefined : await openExpected(run, lock);
  let prepared = { expected: recorded, planning: preparePlan(run, recorded) };
  // With providers beside it, the plan is started when their sockets exist.
  if (recorded !== undefined || isWithoutPackages === true) await prewarmFirst(run, prepared.planning.request);
  try {
    const workspace = openWorkspace(run);
    if (workspace.ownLock !== null && isWithoutPackages !== true) {
      const expected = await openExpected(run, workspace.ownLock);
      prepared = { expected, planning: preparePlan(run, expected) };
    }
    const { expected, planning } = prepared;
    const assumed = assumeInitialised(run, workspace);
    if (assumed !== undefined) planning.defer();
    // A plan with providers beside it is started early only when they are known before init.
    const next = expected && planning.request;
    const initialised = assumed?.initialised ?? (await initialise(run, workspace, next));
    const plan = { baseline, planning, initialised, ...(assumed && { assumed }), ...(expected && { expected }) };
    return (await planWithSubstitutes(run, workspace, plan)) ?? (await planAgain(run, workspace, baseline));
  } finally {
    prepared.expected?.close();
  }
}

/** Plans after an init, because a folder that was assumed or reused did not lead to a plan. Init reports what is wrong. */
async function planAgain(
  run: SupervisedRun,
  workspace: Workspace,
  baseline: Prepared['baseline'],
): Promise<PlanOutcome> {
  await discardPrewarmed(run);
  await run.syncs.done();
  removeTree(run.layout.sealedPlan);
  run.report.say('init', 'info', 'The plan cannot be used without an init, so init runs and the plan is repeated.');
  removeStamp(run.spec);
  const planning = preparePlan(run);
  const initialised = await initialise(run, workspace);
  const prepared = { baseline, planning, initialised, isRepeated: true } as const;
  const outcome = await planWithSubstitutes(run, workspace, prepared);
  return outcome ?? refusePlan(run, 'the state of the Capsule', 'the tool planned from another state');
}

type Prepared = {
  baseline: ReturnType<typeof writeBaselineState>;
  planning: Planning;
  initialised: Initialised;
  /** Set when init was left out. */
  assumed?: AssumedFolder;
  /** Substitutes that the plan was prepared with. */
  expected?: SubstituteProviders;
  /** Set when the warnings of the workspace are already in the journal. */
  isRepeated?: true;
};

async function planWithSubstitutes(
  run: SupervisedRun,
  workspace: Workspace,
  prepared: Prepared,
): Promise<PlanOutcome | undefined> {
  const { expected, initialised } = prepared;
  const substitutes = await openInstalled(run, initialised.lock, expected);
  try {
    if (substitutes === expected) return await planInitialised(run, workspace, { ...prepared, substitutes });
    await discardPrewarmed(run);
    const isUnchanged = substitutes?.beside === undefined && expected?.beside === undefined;
    const planning = isUnchanged ? prepared.planning : preparePlan(run, substitutes);
    return await planInitialised(run, workspace, { ...prepared, planning, substitutes });
  } finally {
    substitutes?.close();
  }
}

/** Undefined when the tool did not plan in an assumed folder, which is not reported, or planned without the state. */
async function planInitialised(
  run: SupervisedRun,
  workspace: Workspace,
  prepared: Prepared & { substitutes: SubstituteProviders | undefined },
): Promise<PlanOutcome | undefined> {
  const { baseline, planning, initialised, assumed, substitutes } = prepared;
  const showing = prepareShow(run, substitutes);
  run.report.phase('plan', 'started');
  const deadline = performance.now() + run.spec.limits.planSeconds * 1000;
  warn(run, workspace, prepared);
  const step = (request: CommandRequest, next?: CommandRequest) => runStep(run, workspace, { request, next, deadline });
  const planned = await step(planning.request, showing.request);
  if (assumed !== undefined && !hasSucceeded(planned) && !wasEnded(planned)) return undefined;
  planning.report();
  if (!hasSucceeded(planned)) {
    if (!wasEnded(planned)) substitutes?.reject('unaccepted');
    throw planFailure(run, planned, planning.diagnostics);
  }
  const { planFileDigest, bytes } = sealPlanFile(run);
  const configuration = readPlanned(run, bytes);
  if (configuration !== undefined && !isBasedOn(configuration, baseline)) return undefined;
  disconnect(run);
  const shown = await showPlan(run, { showing, substitutes, step });
  run.report.phase('plan', 'finished');
  // A provider that ran since the last restore may have altered the tree.
  if (shown.isByProviders) workspace.restore();
  requireConfiguration(run, configuration, initialised.lock);
  const projection = project(run, planning, shown.text);
  assumed?.confirm();
  return {
    kind: 'plan',
    planFileDigest,
    summary: projection.summary,
    destructive: projection.destructive,
    lock: initialised.lock,
    lockDigest: initialised.lockDigest,
    ...(shown.isByProviders ? { isShownByProviders: true } : {}),
    ...(run.built === undefined ? {} : { builtDigest: run.built.digest }),
    stateLineage: baseline?.lineage ?? '',
    stateSerial: baseline?.serial ?? 0,
    projectionFile: planDocumentFile,
    addresses: projection.addresses.map((address) => run.redactor.address(address)),
  };
}

/** Projects the plan as JSON, requires that it matches what the tool reported, and writes its redacted document. */
function project(
  run: SupervisedRun,
  { diagnostics, streamed }: Planning,
  text: string,
): ReturnType<typeof projectPlan> {
  const projection = projectPlan(text, {
    secrets: run.secrets,
    createCopyTest,
    diagnostics,
    digestOf: createValueDigest(run.spec.comparisonKey),
  });
  requireAgreement(run, streamed, projection.changes);
  for (const warning of outsidePathWarnings(run, projection.document.resources).map((one) =>
    redactDiagnostic(one, run.redactor),
  )) {
    projection.document.diagnostics.push(warning);
    run.report.diagnostic(warning);
  }
  const document = JSON.stringify(redactDocument(projection.document, run.redactor));
  run.syncs.add(writeDurablyAsync(path.join(run.spec.runDir, planDocumentFile), document));
  return projection;
}

function warn(run: SupervisedRun, workspace: Workspace, { planning, isRepeated }: Prepared): void {
  for (const message of workspace.warnings) {
    planning.diagnostics.push({ severity: 'warning', message });
    if (isRepeated !== true) run.report.diagnostic({ severity: 'warning', message });
  }
}

type Step = { request: CommandRequest; next: CommandRequest | undefined; deadline: number };

/** Runs a command within the remaining time; none is started after a cancel. */
function runStep(run: SupervisedRun, workspace: Workspace, { request, next, deadline }: Step): Promise<CommandEnd> {
  workspace.restore();
  if (run.cancel.isRequested) throw new RunFailure('cancelled', 'plan', 'The Run was cancelled.');
  const limitSeconds = Math.max(1, (deadline - performance.now()) / 1000);
  return runCommand(run, request, { limitSeconds, ...(next && { next }) });
}

/** Reports whether a plan starts from the state that this Run wrote. A tool whose folder is damaged can miss it. */
const isBasedOn = ({ state }: PlannedConfiguration, baseline: Prepared['baseline']): boolean =>
  baseline === undefined || (state.lineage === baseline.lineage && state.serial === baseline.serial);
