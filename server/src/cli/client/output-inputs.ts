import type { DependencyInput } from '#shared/dependencies/contract';
import { isId } from '#shared/kernel/id';
import { VariableName } from '#shared/kernel/scalars';
import { OutputName } from '#shared/output-shares/contract';
import { wrongUse } from '../exit-codes.ts';
import { listCapsules } from './capsules.ts';
import type { Server } from './server.ts';
import { oneLine } from './text.ts';
import type { TypedValues } from './values.ts';

/** A variable that takes its value from an Output of another Capsule, which is named by id or name. */
type OutputInput = { variable: string; capsule: string; output: string };

/** Reads `--input NAME=CAPSULE.OUTPUT`. A variable that another option sets is refused. */
export function readOutputInputs(
  texts: readonly string[],
  { files, texts: typed, secrets }: TypedValues,
): OutputInput[] {
  const inputs = texts.map(readOutputInput);
  for (const [index, { variable }] of inputs.entries()) {
    if (inputs.findIndex((one) => one.variable === variable) < index)
      throw wrongUse(`--input names "${variable}" twice. Leave one out.`);
    if (typed.has(variable) || files.has(variable) || secrets.includes(variable))
      throw wrongUse(`--input and another option both set "${variable}". Leave one out.`);
  }
  return inputs;
}

function readOutputInput(text: string): OutputInput {
  // The name of a Capsule may contain a dot, that of an Output does not.
  const [, variable = '', capsule = '', output = ''] = /^([^=]+)=(.+)\.([^.]+)$/.exec(text) ?? [];
  if (VariableName.safeParse(variable).success && OutputName.safeParse(output).success)
    return { variable, capsule, output };
  throw wrongUse('--input takes NAME=CAPSULE.OUTPUT, as in --input vpc_id=network.id.');
}

/** Finds the Capsules and returns one Dependency for each. Throws `CommandError` (wrong use) for one that is unknown or was never applied. */
export async function findDependencies(
  server: Pick<Server, 'api'>,
  workspaceId: string,
  inputs: readonly OutputInput[],
): Promise<DependencyInput[]> {
  const byProducer = new Map<string, DependencyInput>();
  for (const { variable, capsule, output } of inputs) {
    const producerCapsuleId = await findProducer(server, workspaceId, capsule);
    const known = byProducer.get(producerCapsuleId);
    const mapped = { [variable]: { from: output, to: variable, required: true } };
    byProducer.set(producerCapsuleId, { producerCapsuleId, outputs: { ...known?.outputs, ...mapped } });
  }
  return [...byProducer.values()];
}

/** Returns the id of a Capsule; one of another Workspace, whose Outputs are shared, is named by its id. */
async function findProducer(server: Pick<Server, 'api'>, workspaceId: string, named: string): Promise<string> {
  const matches = (await listCapsules(server, workspaceId, { q: named })).filter(
    ({ id, name }) => id === named || name === named,
  );
  const [only] = matches;
  if (!only) {
    if (isId('capsule', named)) return named;
    throw wrongUse(`There is no Capsule "${oneLine(named)}" in this Workspace. Name one by its name or id.`);
  }
  if (matches.length > 1) {
    const ids = matches.map(({ id, environment }) => `${id} (${environment})`).join(', ');
    throw wrongUse(`${matches.length} Capsules are called "${oneLine(named)}". Name one by its id: ${ids}.`);
  }
  if (only.currentStateGeneration === 0)
    throw wrongUse(`The Capsule "${oneLine(only.name)}" was never applied, so it has no Outputs. Apply it first.`);
  return only.id;
}
