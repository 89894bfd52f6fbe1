import path from 'node:path';
import type { CurrentState } from '#shared/exports/contract';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { atCapsule } from './capsule-access.ts';
import type { CapsuleWork } from './capsule-work.ts';
import { requireEmptyFolder } from './new-folder.ts';
import { oneLine, tableText } from './text.ts';
import { writeExport } from './write-export.ts';

/** Writes a folder that OpenTofu continues with. */
export const runExport = atCapsule(async (work) => {
  const { capsule, terminal, args, options } = work;
  const dir = path.resolve(args[1] ?? '');
  const withState = options['with-state'] === true;
  requireEmptyFolder(dir);
  if (withState) await confirmSecrets(work);
  else if (options.confirm !== undefined) throw wrongUse('--confirm goes with --with-state.');
  const files = await writeExport(dir, capsule.export({ withState }));
  if (terminal.isJson) terminal.document({ dir, files, withState });
  else terminal.say(`${files} files are in ${oneLine(dir)}. README.groundctl.md says how to continue.`);
  return exitCodes.done;
});

/** Shows the current state without sensitive values. */
export const runStateShow = atCapsule(async ({ capsule, terminal }) => {
  const state = await capsule.readState({ use: 'summary' });
  if (terminal.isJson) terminal.document({ state });
  else for (const line of linesOf(state)) terminal.say(line);
  return exitCodes.done;
});

function linesOf(state: CurrentState): string[] {
  const { capsuleName, generation, lineage, serial, toolName, toolVersion, resourceCount, partial } = state;
  return [
    `${oneLine(capsuleName)}, generation ${generation}${partial ? ', of an apply that failed' : ''}`,
    `Lineage ${oneLine(lineage)}, serial ${serial}, written by ${toolName} ${oneLine(toolVersion)}`,
    `${resourceCount} resources, ${state.outputs.length} Outputs`,
    ...state.resources.map((address) => `  ${oneLine(address)}`),
  ];
}

/** Prints the current state as it is, after a confirmation. */
export const runStatePull = atCapsule(async (work) => {
  await confirmSecrets(work);
  const state = await work.capsule.readState({ use: 'text' });
  if (work.terminal.isJson) work.terminal.document({ state });
  else work.terminal.say((state.text ?? '').trimEnd());
  return exitCodes.done;
});

/** Lists the Outputs, or prints the value of one. */
export const runStateOutputs = atCapsule(async (work) => {
  const { capsule, terminal, options } = work;
  const output = options.reveal;
  if (output === undefined && options.confirm !== undefined) throw wrongUse('--confirm goes with --reveal.');
  if (output !== undefined) await confirmSecrets(work);
  const { outputs } = await capsule.readState(output === undefined ? { use: 'summary' } : { use: 'output', output });
  if (terminal.isJson) terminal.document({ outputs });
  else if (output !== undefined) terminal.say(valueText(outputs[0]?.value));
  else {
    const rows = outputs.map(({ name, sensitive, value }) => [name, sensitive ? 'sensitive' : valueText(value)]);
    for (const line of tableText(['OUTPUT', 'VALUE'], rows, terminal.paint)) terminal.say(line);
  }
  return exitCodes.done;
});

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Requires that the person types the name of the Capsule, or that a script gives it. */
async function confirmSecrets({ capsule: { name }, terminal, options, signal }: CapsuleWork): Promise<void> {
  if (options.confirm === name) return;
  if (options.confirm !== undefined)
    throw wrongUse('--confirm is not the name of the Capsule, so nothing was read. Repeat its exact name.');
  if (!terminal.isInteractive)
    throw wrongUse('This shows secrets in clear. Repeat the name of the Capsule with --confirm NAME.');
  const question = `This shows secrets in clear. Type the name of the Capsule, ${oneLine(name)}, to go on: `;
  if ((await terminal.prompt(question, signal))?.trim() === name) return;
  signal.throwIfAborted();
  throw failed('not_confirmed', 'The name is not that of the Capsule, so nothing was read.');
}
