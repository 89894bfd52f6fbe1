import type { DependencyInput } from '#shared/dependencies/contract';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { InstallPhase } from '#shared/install-plans/contract';
import { ApiError } from '#shared/kernel/client';
import { reconcileToEnd } from '#shared/kernel/reconcile';
import { CapsuleName, Environment } from '#shared/kernel/scalars';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { sourceNameOf } from '#shared/sources/repository-name';
import { CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { actionLines } from './action-text.ts';
import { bindProviders, readBindingInputs } from './bindings.ts';
import { reportBuild } from './build-text.ts';
import { atServer, type Work } from './command.ts';
import { type InspectionResult, inspectRepository, readAddress } from './inspect.ts';
import { givableVariables } from './manifest.ts';
import { findDependencies, readOutputInputs } from './output-inputs.ts';
import { applyReviewed, type Planned, requireAutoApprove } from './review.ts';
import { readSecretValues } from './secret-values.ts';
import { findWorkspace } from './server.ts';
import { cut, oneLine } from './text.ts';
import { fitValues, missingValues, readTypedValues, requireKnownNames, type SentValues } from './values.ts';

/** Installs a module, from the address of a repository to its Outputs. Stops where a person has to decide. */
export const runInstall = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, options, terminal, args } = work;
  const address = readAddress(args[0] ?? '', options, server.location.isHere);
  const typed = readTypedValues(options);
  const bindingInputs = readBindingInputs(options.connection ?? []);
  const outputInputs = readOutputInputs(options.input ?? [], typed);
  const capsule = readCapsule(work);
  requireAutoApprove(options);
  const secretTexts = await readSecretValues(typed.secrets, terminal);
  const workspace = await findWorkspace(server, options.workspace);
  const inspection = await inspectRepository(work, { workspaceId: workspace.id, address, capsuleName: capsule.name });
  const declarations = givableVariables(inspection.report, inspection.config);
  const values = fitValues({ declarations, typed, secretTexts });
  const injected = requireKnownNames(declarations, outputInputs);
  const dependencies = await findDependencies(server, workspace.id, outputInputs);
  const names = [...Object.keys(values.variables), ...injected];
  const bound = await bindProviders(work, {
    workspaceId: workspace.id,
    report: inspection.report,
    bindingInputs,
    variables: names,
  });
  requireAll(missingValues(declarations, values, [...bound.defaults, ...injected]));
  if (bound.exposedNames.length > 0)
    terminal.note(`The module and all it starts can reach: ${bound.exposedNames.map(oneLine).join(', ')}`);
  await reportBuild(work, inspection.config?.sourceBuild);
  const { lifecycleActions = [] } = inspection.config ?? {};
  for (const line of actionLines('The operator has declared these lifecycle actions:', lifecycleActions))
    terminal.note(line);
  const plan = await planInstall(work, {
    workspaceId: workspace.id,
    inspection,
    values,
    dependencies,
    bindings: bound.bindings,
    capsule: { name: inspection.capsuleName, environment: capsule.environment },
  });
  return applyReviewed(work, plan);
});

function readCapsule({ options }: Work): { name?: string; environment: string } {
  const { name, environment = 'default' } = options;
  if (name !== undefined && !CapsuleName.safeParse(name).success) throw wrongUse('--name takes 1 to 80 characters.');
  if (!Environment.safeParse(environment).success)
    throw wrongUse('--environment takes lower-case letters, digits and dashes.');
  return { environment, ...(name !== undefined && { name }) };
}

function requireAll(missing: readonly VariableDeclaration[]): void {
  if (missing.length === 0) return;
  const lines = missing.map(({ name, typeText, description, sensitive }) => {
    const how = sensitive ? `--secret-var ${name}` : `--var ${name}=VALUE`;
    const what = [typeText, description].filter((text) => text !== undefined && text !== '').join(': ');
    return `  ${how}${what === '' ? '' : `   ${cut(oneLine(what), 120)}`}`;
  });
  throw new CommandError(['These variables need a value:', ...lines].join('\n'), {
    exitCode: exitCodes.wrongUse,
    code: 'install_variable_required',
  });
}

type PlanInstallInput = {
  workspaceId: string;
  inspection: InspectionResult;
  values: SentValues;
  dependencies: DependencyInput[];
  bindings: Awaited<ReturnType<typeof bindProviders>>['bindings'];
  capsule: { name: string; environment: string };
};
const phaseTexts: Readonly<Partial<Record<InstallPhase, string>>> = {
  creating_capsule: 'Creating the Capsule',
  planning: 'Planning',
};

async function planInstall(work: Work, input: PlanInstallInput): Promise<Planned> {
  const { server, terminal, signal } = work;
  const first = await createPlan(work, input);
  const { id } = first.installPlan;
  work.leaves.message = `Nothing was applied. The installation waits at ${server.link(`/install-plans/${id}`)}`;
  let shown: InstallPhase | undefined;
  const showPhase = ({ installPlan: { phase } }: InstallPlanAnswer) => {
    const phaseText = phaseTexts[phase];
    if (phase !== shown && phaseText !== undefined) terminal.note(phaseText);
    shown = phase;
  };
  showPhase(first);
  const params = { installPlanId: id };
  const answer = await reconcileToEnd<InstallPlanAnswer>(
    { reconcile: () => server.api.reconcileInstallPlan({ params }), read: () => server.api.getInstallPlan({ params }) },
    { signal, first, onAnswer: showPhase },
  );
  const { planRunId, capsuleId, diagnostic } = answer.installPlan;
  if (answer.nextAction === 'review_run' && planRunId && capsuleId)
    return { planRunId, capsuleId, commit: input.inspection.commit };
  const logs = planRunId ? ` Its log: groundctl logs ${planRunId}` : '';
  throw failed(
    diagnostic?.code ?? 'install_plan_failed',
    `The installation failed. ${oneLine(diagnostic?.message ?? '')}${logs}`,
  );
}

async function createPlan({ server }: Work, input: PlanInstallInput): Promise<InstallPlanAnswer> {
  const { inspection, values, dependencies, bindings, capsule, workspaceId } = input;
  const { report, address, checkRunId } = inspection;
  const body = {
    source: { name: sourceNameOf(address.url), ...address },
    capsule,
    options: { modulePath: report.modulePath, ...(bindings.length > 0 && { providerBindings: bindings }) },
    preflight: {
      sourceId: report.sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityCheckRunId: checkRunId,
      compatibilityReportId: report.id,
      installConfigId: inspection.config?.id ?? genericInstallConfigId,
    },
    ...(dependencies.length > 0 && { dependencies }),
    ...(values as { variables: Record<string, never>; secretVariables: string[] }),
  };
  try {
    return (await server.api.createInstallPlan({ params: { workspaceId }, body })).body;
  } catch (error) {
    throw error instanceof ApiError ? withHint(error, input, server) : error;
  }
}

/** Adds a command-line remedy to an API error whose message is about requests. */
function withHint(error: ApiError, { capsule }: PlanInstallInput, server: Work['server']): unknown {
  const { reason, capsuleId, field } = error.details;
  if (reason === 'capsule_name_taken') {
    const where =
      typeof capsuleId === 'string' ? ` It was never applied: ${server.link(`/capsules/${capsuleId}`)}` : '';
    return failed(
      'capsule_name_taken',
      `There is a Capsule "${oneLine(capsule.name)}" in ${capsule.environment} already. Choose another --name or --environment.${where}`,
    );
  }
  const variable = /^\/variables\/([^/]+)/.exec(String(field))?.[1];
  if (variable !== undefined && error.message.includes('secretVariables'))
    return wrongUse(
      `The variable "${variable}" contains something that looks like a credential. Set it with --secret-var ${variable}.`,
    );
  return error;
}
