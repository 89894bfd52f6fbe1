import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Import } from '#shared/imports/contract';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import { isTerminal } from '#shared/kernel/machine';
import { limits } from '#shared/limits';
import type { Run } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import { nameOf } from '#shared/sources/repository-name';
import { failed, wrongUse } from '../exit-codes.ts';
import { bindProviders, readBindingInputs } from './bindings.ts';
import type { Work } from './command.ts';
import { findGitFolder, type GitFolder } from './git-folder.ts';
import { type InspectionResult, inspectRepository } from './inspect.ts';
import { givableVariables } from './manifest.ts';
import { oneLine } from './text.ts';
import { fitValues, missingValues, type SentValues, type TypedValues } from './values.ts';

export type ImportInput = {
  workspaceId: string;
  /** Name of the Capsule; that of the folder unless given. */
  name: string | undefined;
  environment: string;
  /** File with the state, or `-` for standard input; `terraform.tfstate` of the folder unless given. */
  stateFile: string | undefined;
  typed: TypedValues;
  secretTexts: ReadonlyMap<string, string>;
  readsLocal: boolean;
};

/** Import of a folder: its Capsule and the restore Run, which waits for approval or has ended. */
export type ImportedFolder = { import: Import; capsuleId: string; capsuleName: string; run: Run; isNew: boolean };

/** Uploads the state of a folder and requests its import. A folder that was imported before finds its Capsule and Run. */
export async function importFolder(work: Work, dir: string, input: ImportInput): Promise<ImportedFolder> {
  const { api } = work.server;
  requireModuleFolder(dir);
  const folder = await findGitFolder(dir, input);
  const bytes = await readStateFile(work, dir, input.stateFile);
  const { workspaceId } = input;
  const uploaded = (await api.uploadImport({ params: { workspaceId }, bytes })).body.import;
  const existing = await findRequested(work, uploaded);
  if (existing) return existing;
  const inspection = await inspectCommit(work, folder, input);
  const { values, bindings } = await valuesOf(work, inspection, input);
  const { report, config } = inspection;
  const name = input.name ?? nameOf(inspection.address, report.modulePath);
  const { body } = await api.requestImport({
    params: { importId: uploaded.id },
    body: {
      name,
      environment: input.environment,
      sourceId: report.sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityReportId: report.id,
      installConfigId: config?.id ?? genericInstallConfigId,
      modulePath: report.modulePath,
      ...(bindings.length > 0 && { providerBindings: bindings }),
      ...(values as { variables: Record<string, never>; secretVariables: string[] }),
    },
  });
  const { id: capsuleId, name: capsuleName } = body.capsule;
  return { import: body.import, capsuleId, capsuleName, run: body.run, isNew: true };
}

function requireModuleFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw wrongUse('There is no such folder. Name the folder of a module.');
}

/** Reads a state, which the server checks. */
async function readStateFile(
  { terminal }: Work,
  dir: string,
  named: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (named === '-') return new TextEncoder().encode(await terminal.readInput());
  const file = named ?? path.join(dir, 'terraform.tfstate');
  if (!existsSync(file)) throw failed('import_no_state', noState(named));
  if (statSync(file).size > limits.importStateBytes)
    throw failed('request_too_large', 'The state is larger than 64 MiB, which is the most that can be uploaded.');
  return Uint8Array.from(readFileSync(file));
}

const noState = (named: string | undefined): string =>
  named === undefined
    ? 'The folder has no terraform.tfstate. Run `tofu state pull > FILE` in it, and name the file with --state FILE.'
    : 'The file of --state does not exist.';

/** Returns the Run of an earlier import, unless it ended without giving the Capsule its state. */
async function findRequested({ server: { api } }: Work, record: Import): Promise<ImportedFolder | undefined> {
  const { capsuleId, runId } = record;
  if (capsuleId === undefined || runId === undefined) return undefined;
  const { run } = (await api.getRun({ params: { runId } })).body;
  if (run.status !== 'succeeded' && isTerminal(runMachine, run.status)) return undefined;
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  return { import: record, capsuleId, capsuleName: capsule.name, run, isNew: false };
}

/** Checks the module at the commit of the folder: a branch may have moved on at the remote. */
async function inspectCommit(
  work: Work,
  folder: GitFolder,
  { workspaceId, name }: ImportInput,
): Promise<InspectionResult> {
  const { address, modulePath, commit } = folder;
  const at = (ref: string) =>
    inspectRepository(
      { ...work, options: { ...work.options, module: modulePath } },
      { workspaceId, address: { ...address, ref }, capsuleName: name },
    );
  const inspection = await at(address.ref);
  return inspection.commit === commit ? inspection : at(commit);
}

async function valuesOf(
  work: Work,
  { report, config }: InspectionResult,
  { workspaceId, typed, secretTexts }: ImportInput,
): Promise<{ values: SentValues; bindings: Awaited<ReturnType<typeof bindProviders>>['bindings'] }> {
  const declarations = givableVariables(report, config);
  const values = fitValues({ declarations, typed, secretTexts });
  const bound = await bindProviders(work, {
    workspaceId,
    report,
    bindingInputs: readBindingInputs(work.options.connection ?? []),
    variables: Object.keys(values.variables),
  });
  const missing = missingValues(declarations, values, bound.defaults);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => oneLine(name)).join(', ');
    throw wrongUse(`These variables need a value: ${names}. Name a file with --var-file, or use --secret-var.`);
  }
  return { values, bindings: bound.bindings };
}
