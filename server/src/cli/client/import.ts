import path from 'node:path';
import { CapsuleName, Environment } from '#shared/kernel/scalars';
import { type CommandError, exitCodes, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { atServer, type Work } from './command.ts';
import { type ImportedFolder, type ImportInput, importFolder } from './import-folder.ts';
import { explain } from './line.ts';
import { readSecretValues } from './secret-values.ts';
import { findWorkspace } from './server.ts';
import { oneLine, tableText } from './text.ts';
import { readTypedValues } from './values.ts';

type Result = { dir: string } & ({ imported: ImportedFolder } | { error: CommandError });

/** Moves folders in: each becomes a Capsule with the state that it had. One that fails does not stop the others. */
export const runImport = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  checkOptions(options, args.length);
  const typed = readTypedValues(options);
  const secretTexts = await readSecretValues(typed.secrets, terminal);
  const workspace = await findWorkspace(server, options.workspace);
  const { git } = (await server.api.getCapabilities({})).body;
  const input: ImportInput = {
    workspaceId: workspace.id,
    name: options.name,
    environment: options.environment ?? 'default',
    stateFile: options.state,
    typed,
    secretTexts,
    readsLocal: git.file && server.location.isHere,
  };
  const results: Result[] = [];
  for (const dir of args) results.push(await attempt(work, dir, input));
  report(work, results);
  return exitCodeOf(results);
});

function checkOptions({ name, environment, state }: OptionValues, count: number): void {
  if (count > 1 && name !== undefined) throw wrongUse('--name is for one folder. Import the folders one by one.');
  if (count > 1 && state !== undefined) throw wrongUse('--state is for one folder. Import the folders one by one.');
  if (name !== undefined && !CapsuleName.safeParse(name).success) throw wrongUse('--name takes 1 to 80 characters.');
  if (environment !== undefined && !Environment.safeParse(environment).success)
    throw wrongUse('--environment takes lower-case letters, digits and dashes.');
}

async function attempt(work: Work, dir: string, input: ImportInput): Promise<Result> {
  const { server, terminal, signal } = work;
  terminal.note(`${oneLine(dir)}:`);
  try {
    return { dir, imported: await importFolder(work, path.resolve(dir), input) };
  } catch (error) {
    signal.throwIfAborted();
    const explained = explain(error, server.location);
    terminal.note(explained.message);
    return { dir, error: explained };
  }
}

function report({ server, terminal, leaves }: Work, results: readonly Result[]): void {
  leaves.message = 'The folders that are listed above are imported.';
  if (terminal.isJson) {
    terminal.document({ imports: results.map(documentOf) });
    return;
  }
  const rows = results.map((result) => {
    if ('error' in result) return [oneLine(result.dir), '', 'failed', result.error.code];
    const { capsuleName, run, import: record } = result.imported;
    const status = run.status === 'waiting_approval' ? 'waits for approval' : run.status;
    return [oneLine(result.dir), oneLine(capsuleName), status, counted(record.state.resourceCount)];
  });
  for (const line of tableText(['FOLDER', 'CAPSULE', 'STATUS', ''], rows, terminal.paint)) terminal.say(line);
  for (const result of results)
    if ('imported' in result && result.imported.run.status === 'waiting_approval')
      terminal.note(
        `Review and approve ${oneLine(result.imported.capsuleName)}: groundctl runs approve ${result.imported.run.id}, or ${server.link(`/runs/${result.imported.run.id}`)}`,
      );
}

const counted = (resources: number): string => `${resources} ${resources === 1 ? 'resource' : 'resources'}`;

function documentOf(result: Result) {
  if ('error' in result)
    return { dir: result.dir, outcome: 'failed', error: { code: result.error.code, message: result.error.message } };
  const { import: record, capsuleId, run, isNew } = result.imported;
  return {
    dir: result.dir,
    outcome: isNew ? 'requested' : 'existing',
    import: record,
    capsuleId,
    runId: run.id,
    runStatus: run.status,
  };
}

function exitCodeOf(results: readonly Result[]): number {
  const errors = results.flatMap((result) => ('error' in result ? [result.error] : []));
  if (results.length === 1 && errors[0]) return errors[0].exitCode;
  if (errors.length > 0) return exitCodes.failed;
  const waits = results.some((result) => 'imported' in result && result.imported.run.status !== 'succeeded');
  return waits ? exitCodes.waits : exitCodes.done;
}
