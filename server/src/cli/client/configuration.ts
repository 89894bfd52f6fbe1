import { randomUUID } from 'node:crypto';
import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration, ConfigurationInput, ValueOrigin } from '#shared/configuration-plans/configuration';
import { ApiError } from '#shared/kernel/client';
import type { Json } from '#shared/kernel/json';
import { VariableName } from '#shared/kernel/scalars';
import { CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { createLineReporter, followRun } from './follow.ts';
import { readSecretValues } from './secret-values.ts';
import type { Server } from './server.ts';
import { readShownPlan } from './shown-plan.ts';
import { cut, tableText, timeText, valueText } from './text.ts';
import { fitValues, readTypedValues } from './values.ts';

const longestValue = 60;

/** Shows the inputs of a Capsule with their values and origins. */
export const runConfigGet = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options, args }) => {
  const capsule = await findCapsule(server, args[0] ?? '', options.workspace);
  const configuration = await readConfiguration(server, capsule.id);
  if (terminal.isJson) terminal.document({ configuration });
  else if (configuration.inputs.length === 0) terminal.say('The module of this Capsule has no inputs.');
  else for (const line of linesOf(configuration, terminal.paint)) terminal.say(line);
  const { refusal } = configuration.change;
  if (refusal && !terminal.isJson) terminal.note(`A change would be refused now. ${refusal.message}`);
  return exitCodes.done;
});

/** Plans a change of inputs and shows the plan. Nothing is applied. */
export const runConfigSet = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  const [named = '', ...pairs] = args;
  const unset = options.unset ?? [];
  const typed = readTypedValues({ ...options, var: pairs });
  requireChange(typed, unset);
  const secretTexts = await readSecretValues(typed.secrets, terminal);
  const capsule = await findCapsule(server, named, options.workspace);
  const configuration = await readConfiguration(server, capsule.id);
  const declarations = configuration.inputs.flatMap(({ declaration, changeable, secret }) =>
    declaration && changeable ? [{ ...declaration, ...(secret && { sensitive: true }) }] : [],
  );
  requireSealed(configuration, typed.secrets);
  const { variables } = fitValues({ declarations, typed, secretTexts });
  return showPlan(work, { capsule, planRunId: await requestPlan(server, configuration, { set: variables, unset }) });
});

const linesOf = ({ inputs }: CapsuleConfiguration, paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['INPUT', 'VALUE', 'ORIGIN'],
    inputs.map((input) => [input.name, cut(shownValue(input), longestValue), originText(input.origin)]),
    paint,
  );

function shownValue({ value, secret, origin }: ConfigurationInput): string {
  switch (value.status) {
    case 'shown':
      return valueText(value.value as Json);
    case 'hidden':
      return secret && origin.kind !== 'module_default' ? '(set)' : '(not shown)';
    case 'unknown':
      return '(default of the module)';
    case 'not_set':
      return '(not set)';
  }
}

function originText(origin: ValueOrigin): string {
  switch (origin.kind) {
    case 'set': {
      const by = origin.accountId === undefined ? '' : ` by ${origin.accountId}`;
      const run = origin.runId === undefined ? '' : ` (${origin.runId})`;
      return `${origin.by}${by}, ${timeText(origin.at)}${origin.orEarlier ? ' or earlier' : ''}${run}`;
    }
    case 'dependency':
      return `Output ${origin.outputName} of ${origin.producerName ?? origin.producerCapsuleId}`;
    case 'connection_default':
      return `Connection ${origin.connectionName ?? origin.connectionId}`;
    case 'host':
      return `host: ${origin.supplies}`;
    default:
      return origin.kind;
  }
}

const readConfiguration = async ({ api }: Server, capsuleId: string): Promise<CapsuleConfiguration> =>
  (await api.getConfiguration({ params: { capsuleId } })).body.configuration;

type Typed = ReturnType<typeof readTypedValues>;

function requireChange({ texts, files, secrets }: Typed, unset: readonly string[]): void {
  if (texts.size + files.size + secrets.length + unset.length === 0)
    throw wrongUse('Name a change: NAME=VALUE, --var-file FILE, --secret-var NAME or --unset NAME.');
  const odd = unset.find((name) => !VariableName.safeParse(name).success);
  if (odd !== undefined) throw wrongUse('--unset takes the name of a variable.');
  const both = unset.find((name) => texts.has(name) || files.has(name) || secrets.includes(name));
  if (both !== undefined) throw wrongUse(`"${both}" is both set and unset. Leave one out.`);
}

/** Refuses to send a value as a secret that the server would store readable. */
function requireSealed({ inputs }: CapsuleConfiguration, secrets: readonly string[]): void {
  const open = secrets.find((name) => inputs.some((input) => input.name === name && !input.secret));
  if (open === undefined) return;
  throw wrongUse(
    `The module does not declare "${open}" sensitive, so its value would be readable. Declare it sensitive first, or set it with ${open}=VALUE.`,
  );
}

type Change = { set: { [name: string]: Json }; unset: readonly string[] };

async function requestPlan(
  { api }: Server,
  { capsuleId, change, providerBindings, interfaceBlueprints }: CapsuleConfiguration,
  { set, unset }: Change,
): Promise<string> {
  const body = {
    variablePatch: { set: set as { [name: string]: never }, remove: [...unset] },
    providerBindings,
    interfaceBlueprints,
    expected: { authorityGuard: change.authorityGuard },
  };
  const key = { 'idempotency-key': randomUUID() };
  try {
    return (await api.planConfiguration({ params: { capsuleId }, body }, key)).body.configurationPlan.planRunId;
  } catch (error) {
    if (!(error instanceof ApiError) || error.details['reason'] !== 'capsule_install_config_rebind_conflict')
      throw error;
    throw new CommandError('Someone else changed this Capsule at the same time. Read it again, then repeat.', {
      exitCode: exitCodes.failed,
      code: 'capsule_install_config_rebind_conflict',
    });
  }
}

/** Waits for the plan and shows it. A plan with changes waits for a person. */
async function showPlan(work: Work, { capsule, planRunId }: { capsule: Capsule; planRunId: string }): Promise<number> {
  const { server, terminal } = work;
  const link = server.link(`/runs/${planRunId}`);
  work.leaves.message = `The configuration is changed. Its plan continues: ${link}`;
  terminal.note('Planning');
  await followRun(work, { runId: planRunId, kinds: ['diagnostic'], report: createLineReporter(terminal) });
  const { run } = (await server.api.getRun({ params: { runId: planRunId } })).body;
  if (run.status !== 'succeeded' && run.status !== 'waiting_approval')
    throw failed(run.errorCode ?? 'plan_failed', `The plan ${run.status}. Its log: groundctl logs ${planRunId}`);
  const isUnchanged = run.hasChanges === false && capsule.currentStateVersionId !== undefined;
  const facts = { capsuleId: capsule.id, planRunId, ...(run.summary && { summary: run.summary }), link };
  if (terminal.isJson) terminal.document({ outcome: isUnchanged ? 'unchanged' : 'waiting', ...facts });
  else for (const line of ['', ...(await readShownPlan(work, run)).lines, '']) terminal.say(line);
  terminal.note(
    isUnchanged
      ? 'No changes to apply.'
      : `Nothing was applied. The plan waits at ${link}, or use: groundctl runs apply ${planRunId}`,
  );
  return isUnchanged ? exitCodes.done : exitCodes.waits;
}
