import { actionsOfPhase } from '#shared/install-configs/lifecycle';
import type { Json } from '#shared/kernel/json';
import { localPool, type Run } from '#shared/runs/contract';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { actionLines } from './action-text.ts';
import { approve, isConfirmed } from './approve.ts';
import type { Work } from './command.ts';
import { createLineReporter, followRun } from './follow.ts';
import { appliedText } from './plan-text.ts';
import { readShownPlan, type ShownPlan } from './shown-plan.ts';
import { oneLine, valueText } from './text.ts';

/** Records that an installation has created when its plan can be read. */
export type Planned = { planRunId: string; capsuleId: string; commit: string };

/** Throws wrong use for `--allow-destroy` alone. */
export function requireAutoApprove(options: OptionValues): void {
  if (options['allow-destroy'] && !options['auto-approve'])
    throw wrongUse('--allow-destroy goes with --auto-approve: without it you are asked.');
}

/** Shows the plan, asks for approval, applies exactly that plan, and shows the result. */
export async function applyReviewed(work: Work, planned: Planned): Promise<number> {
  const { server, terminal } = work;
  const { run } = (await server.api.getRun({ params: { runId: planned.planRunId } })).body;
  const link = server.link(`/runs/${run.id}`);
  const plan = await showPlan(work, planned, run);
  if (run.hasChanges === false && (await isApplied(work, planned.capsuleId))) {
    if (terminal.isJson) terminal.document({ outcome: 'unchanged', ...factsOf(planned, run), link });
    terminal.note('No changes to apply.');
    return exitCodes.done;
  }
  if (!(await isDecided(work, { planned, run, plan, verb: 'Apply' }))) return exitCodes.waits;
  const applied = await apply(work, run);
  return showResult(work, planned, applied);
}

/** Shows the plan and approves exactly it. Nothing is applied. */
export async function approveReviewed(work: Work, planned: Planned, run: Run): Promise<number> {
  const { server, terminal, leaves } = work;
  const link = server.link(`/runs/${run.id}`);
  const plan = await showPlan(work, planned, run);
  if (!(await isDecided(work, { planned, run, plan, verb: 'Approve' }))) return exitCodes.waits;
  leaves.message = `The approval may have been recorded: ${link}`;
  await approve(work, run);
  if (terminal.isJson) terminal.document({ outcome: 'approved', ...factsOf(planned, run), link });
  else terminal.say(`Approved. Apply the plan with: groundctl runs apply ${run.id}`);
  return exitCodes.done;
}

async function showPlan(work: Work, planned: Planned, run: Run): Promise<ShownPlan> {
  const { server, terminal, leaves } = work;
  const link = server.link(`/runs/${run.id}`);
  leaves.message = `Nothing was applied. The plan waits at ${link}`;
  const plan = await readShownPlan(work, run);
  for (const line of [
    '',
    ...plan.lines,
    ...(await actionsOfPlan(work, planned, run)),
    ...(plan.isCut ? [`Not all of it is shown here. The whole plan: ${link}`] : []),
    '',
  ])
    terminal.say(line);
  return plan;
}

type Decision = { planned: Planned; run: Run; plan: ShownPlan; verb: 'Apply' | 'Approve' };

/** Reports whether the plan may be applied or approved now; if not, says why and what the next step is. */
async function isDecided(work: Work, decision: Decision): Promise<boolean> {
  const { server, terminal } = work;
  const { planned, run } = decision;
  const link = server.link(`/runs/${run.id}`);
  await warnOfSandbox(work, [run]);
  const refusal = await decide(work, decision, link);
  if (refusal === undefined) return true;
  if (terminal.isJson) terminal.document({ outcome: 'waiting', ...factsOf(planned, run), link });
  terminal.note(refusal);
  return false;
}

/** Says that an apply on the machine of the server would not be isolated from it. */
export async function warnOfSandbox(
  { server, terminal }: Work,
  plans: readonly Pick<Run, 'runnerPoolId'>[],
): Promise<void> {
  if (!plans.some(({ runnerPoolId }) => runnerPoolId === localPool)) return;
  const { available, sandbox } = (await server.api.getCapabilities({})).body.runner;
  if (available && sandbox === 'none')
    terminal.note('No sandbox on this machine: an apply runs with the rights of the user of the server.');
}

/** Returns the actions that run with this plan, as lines. */
async function actionsOfPlan({ server }: Work, { capsuleId }: Planned, { type }: Run): Promise<string[]> {
  const { installConfigId: capsuleConfigId } = (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
  const { installConfig } = (await server.api.getInstallConfig({ params: { capsuleConfigId } })).body;
  return type === 'destroy_plan'
    ? actionLines('Before the destroy these actions run:', actionsOfPhase(installConfig, 'pre_destroy'))
    : actionLines('After the apply these actions run:', actionsOfPhase(installConfig, 'post_apply'));
}

/**
 * Reports whether a plan without changes need not be applied. The first one of an empty module is applied, and the one
 * of a Capsule whose last apply failed, because its actions run again.
 */
async function isApplied({ server }: Work, capsuleId: string): Promise<boolean> {
  const { capsule } = (await server.api.getCapsule({ params: { capsuleId } })).body;
  return capsule.currentStateVersionId !== undefined && capsule.status !== 'error';
}

/** Returns undefined when the plan may be applied or approved now, else the reason and the next step. */
async function decide(work: Work, { run, plan, verb }: Decision, link: string): Promise<string | undefined> {
  const { options, terminal } = work;
  const destroys = plan.isDestructive;
  if (options['auto-approve']) {
    if (!destroys || options['allow-destroy']) return undefined;
    return `This plan destroys, replaces or forgets something, so --auto-approve does not apply it. Review it at ${link}, or add --allow-destroy.`;
  }
  if (!plan.isWhole) return `A login shows no values of plans. Review the plan at ${link}, or add --auto-approve.`;
  if (!terminal.isInteractive)
    return `The plan waits for you at ${link}, or use: groundctl runs ${verb.toLowerCase()} ${run.id}`;
  const what = destroys ? 'this plan, which destroys, replaces or forgets something?' : 'this plan?';
  return (await isConfirmed(work, `${verb} ${what}`)) ? undefined : `Nothing was applied. The plan waits at ${link}`;
}

async function apply(work: Work, plan: Run): Promise<Run> {
  const { server, terminal, leaves } = work;
  const params = { runId: plan.id };
  if (plan.status === 'waiting_approval') await approve(work, plan);
  // From here on the apply may have started, even when its response is lost.
  leaves.message = `The apply of ${plan.id} continues if it has started: ${server.link(`/runs/${plan.id}`)}`;
  const { body } = await server.api.applyRun({
    params,
    body: { ...(plan.planDigest !== undefined && { planDigest: plan.planDigest }) },
  });
  const runId = body.run.id;
  leaves.message = `The apply continues without this command. Follow it with: groundctl logs -f ${runId}`;
  terminal.note(`Applying: ${runId}`);
  await followRun(work, { runId, report: createLineReporter(terminal) });
  return (await server.api.getRun({ params: { runId } })).body.run;
}

const factsOf = ({ capsuleId, commit, planRunId }: Planned, { summary }: Run) => ({
  capsuleId,
  commit,
  planRunId,
  ...(summary && { summary }),
});

async function showResult({ server, terminal }: Work, planned: Planned, applied: Run): Promise<number> {
  const link = server.link(`/runs/${applied.id}`);
  if (applied.status !== 'succeeded') {
    throw failed(
      applied.errorCode ?? 'apply_failed',
      `The apply ${applied.status}${applied.errorCode ? ` (${applied.errorCode})` : ''}. What was reached and what to do: ${link}`,
    );
  }
  const { output } = (await server.api.getOutputs({ params: { capsuleId: planned.capsuleId } })).body;
  const outputs = output?.workspaceOutputs ?? {};
  if (terminal.isJson) {
    terminal.document({ outcome: 'applied', ...factsOf(planned, applied), applyRunId: applied.id, outputs, link });
    return exitCodes.done;
  }
  const done = applied.summary ? `: ${appliedText(applied.summary)}` : '';
  terminal.say('');
  terminal.say(`${terminal.paint('green', 'Applied')}${done}.`);
  if (Object.keys(outputs).length > 0) terminal.say(terminal.paint('bold', 'Outputs'));
  for (const [name, value] of Object.entries(outputs)) terminal.say(`  ${oneLine(name)} = ${wholeValue(value)}`);
  terminal.say(server.link(`/capsules/${planned.capsuleId}`));
  return exitCodes.done;
}

/** Formats an Output value: a text is printed raw, so that it can be copied, and never cut. */
const wholeValue = (value: Json): string =>
  oneLine(typeof value === 'string' ? value : JSON.stringify(value)) || valueText(value);
