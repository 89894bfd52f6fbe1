import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readArchive } from '#server/drivers/archive/index';
import { generateFiles, isLeftOut, lockFileName, readModuleFolder, steersTool } from '#server/drivers/tofu/index';
import { openInside, readPieces } from '#server/kernel/open-inside';
import { limits } from '#shared/limits';
import type { ExportPlan } from './export-plan.ts';
import { readmeName, readmeOf } from './readme.ts';
import { openVariables, variablesName } from './variables.ts';

export type ExportedFile = { path: string; executable: boolean; bytes: Uint8Array };

export const stateName = 'terraform.tfstate';

/**
 * Yields the files of an export: the module at its commit, what the tool needs beside it, and with a state the files that
 * applies have left in its folder. Throws `ArchiveError` when the archive is missing or damaged.
 */
export async function* exportFiles(plan: ExportPlan, state: string | undefined): AsyncGenerator<ExportedFile> {
  const own = ownFiles(plan, state);
  const written = new Set(own.keys());
  const lockPath = inModule(plan, lockFileName);
  const isReplaced = (name: string) =>
    written.has(name) || isLeftOut(name) || (plan.lock !== null && name === lockPath);
  const { path: archive, digest } = plan.archive;
  for (const entry of readArchive(archive, { filter: (name) => !isReplaced(name), digest })) {
    written.add(entry.path);
    yield { path: entry.path, executable: entry.executable, bytes: entry.bytes };
    await nextTurn();
  }
  if (state !== undefined) yield* leftFiles(plan, written);
  for (const [name, text] of own) yield { path: name, executable: false, bytes: Buffer.from(text) };
}

const inModule = ({ module }: ExportPlan, name: string): string => path.posix.join(module.modulePath, name);

/** Returns the files that an export writes beside the module, by their path. */
function ownFiles(plan: ExportPlan, state: string | undefined): Map<string, string> {
  const files = new Map<string, string>();
  const put = (name: string, text: string) => files.set(inModule(plan, name), text);
  for (const { name, text } of generated(plan)) put(name, text);
  if (plan.lock !== null) put(lockFileName, plan.lock);
  put(variablesName, `${JSON.stringify(openVariables(plan.inputs), null, 2)}\n`);
  if (state !== undefined) put(stateName, state);
  files.set(readmeName, readmeOf(plan, { hasState: state !== undefined }));
  return files;
}

/** Returns the local backend and the provider blocks that a Run adds to a module which needs them. */
function generated({ archive, module, view, hasBackend }: ExportPlan) {
  if (!hasBackend && view.configurationAliases.length === 0) return [];
  const { modulePath } = module;
  const { fileNames } = readModuleFolder({ archivePath: archive.path, modulePath });
  // Both tools read files of this extension.
  return generateFiles({ moduleFileNames: fileNames, tool: 'terraform', statePath: stateName, view });
}

/** Yields the regular files that are in the folder of the tool and not in the archive, as far as the limits allow. */
async function* leftFiles({ treeDir }: ExportPlan, written: ReadonlySet<string>): AsyncGenerator<ExportedFile> {
  let files = 0;
  let bytes = 0;
  for (const name of leftNames(treeDir, written)) {
    if (files === limits.archiveFiles) return;
    const file = readLeftFile(treeDir, name, limits.archiveBytes - bytes);
    if (file === undefined) continue;
    files += 1;
    bytes += file.bytes.length;
    yield file;
    await nextTurn();
  }
}

function* leftNames(treeDir: string, written: ReadonlySet<string>): Generator<string> {
  const folders = ['.'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of listFolder(path.join(treeDir, folder))) {
      const name = path.posix.join(folder, entry.name);
      if (steersTool(entry.name) || isLeftOut(name) || written.has(name)) continue;
      if (entry.isDirectory()) folders.push(name);
      if (entry.isFile()) yield name;
    }
  }
}

/** Returns a file, unless an apply replaced it by a link or a larger one while the folder was listed. */
function readLeftFile(treeDir: string, name: string, maxBytes: number): ExportedFile | undefined {
  const opened = openInside(treeDir, name);
  if (opened === undefined) return undefined;
  try {
    const { size, mode } = opened.stat;
    if (size > maxBytes) return undefined;
    const pieces = [...readPieces(opened.descriptor, size)].map((piece) => Buffer.from(piece));
    return { path: name, executable: (mode & 0o100) !== 0, bytes: Buffer.concat(pieces) };
  } finally {
    fs.closeSync(opened.descriptor);
  }
}

function listFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // A Capsule that was never planned has no folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
