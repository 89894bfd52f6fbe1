import { closeSync, lstatSync, opendirSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, writeDurably } from '#server/kernel/disk';
import { AppError } from '#server/kernel/errors';
import { openInside, readPieces } from '#server/kernel/open-inside';
import { FormPackageFileName } from '#shared/form-packages/package';
import { isJsonObject, type Json, JsonError } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';
import { digestsOf, packageText, parsePackage } from './package-json.ts';

/** Folder of native objects, which are no packages. */
const nativeName = 'native';

export const formsDirOf = (dataDir: string): string => path.join(dataDir, 'forms');

const notAFolder = 'forms in the data folder is not a folder. Replace it by one.';

/** A name in the folder: its content, or the reason why it was not read. */
export type FolderFile = { file: string; json: Json } | { file: string; reason: string };

/**
 * Reads the files of the folder in the order of their names. What is not a package file of bounded size is listed with a
 * reason. A missing folder is empty; links are not followed, and nothing is created.
 */
export function readFormFolder(folder: string): FolderFile[] {
  const info = lstatSync(folder, { throwIfNoEntry: false });
  if (info === undefined) return [];
  if (!info.isDirectory()) return [{ file: '', reason: notAFolder }];
  const { names, isWhole } = listNames(folder);
  const files = names.map((file, at) => readFile(folder, file, at));
  if (isWhole) return files;
  return [
    ...files,
    { file: '', reason: `forms holds more than ${formPackageLimits.names} names; the rest is not listed.` },
  ];
}

function listNames(folder: string): { names: string[]; isWhole: boolean } {
  const names: string[] = [];
  const open = opendirSync(folder);
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      // The second is what a crash left of a write that was never finished.
      if (entry.name === nativeName || entry.name.endsWith('.json.tmp')) continue;
      if (names.length >= formPackageLimits.names) return { names: names.sort(), isWhole: false };
      names.push(entry.name);
    }
  } finally {
    open.closeSync();
  }
  return { names: names.sort(), isWhole: true };
}

function readFile(folder: string, file: string, at: number): FolderFile {
  if (!FormPackageFileName.safeParse(file).success)
    return {
      file,
      reason: 'Its name is not that of a package: letters, digits, ".", "_" and "-", and .json at the end.',
    };
  if (at >= formPackageLimits.files)
    return { file, reason: `forms holds more than ${formPackageLimits.files} files. Remove those that are not used.` };
  try {
    const bytes = readBytes(folder, file);
    return bytes
      ? { file, json: parsePackage(bytes) }
      : { file, reason: 'It is not a regular file that can be read. Links are not followed.' };
  } catch (error) {
    return { file, reason: error instanceof JsonError ? error.message : 'It cannot be read.' };
  }
}

function readBytes(folder: string, file: string): Uint8Array | undefined {
  const open = openInside(folder, file);
  if (!open) return undefined;
  try {
    // One byte more, so that a larger file is recognized.
    const pieces = [...readPieces(open.descriptor, formPackageLimits.fileBytes + 1)].map((piece) => Buffer.from(piece));
    return Buffer.concat(pieces);
  } finally {
    closeSync(open.descriptor);
  }
}

/** Reports whether a name is taken, by anything. */
export const hasName = (folder: string, file: string): boolean =>
  lstatSync(path.join(folder, file), { throwIfNoEntry: false }) !== undefined;

/** Reports whether a file holds exactly the package with this digest. */
export function holdsPackage(folder: string, file: string, packageDigest: string): boolean {
  // A link in place of the folder would lead elsewhere.
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  const entry = readFile(folder, file, 0);
  return 'json' in entry && isJsonObject(entry.json) && digestsOf(entry.json).packageDigest === packageDigest;
}

/**
 * Writes a package as a new file, durably and atomically. `file` is a valid name that is not taken. Throws 409 `conflict`
 * when `forms` is not a folder of its own: a link would lead elsewhere.
 */
export function writePackage(folder: string, file: string, json: Json): void {
  makeFolder(folder);
  if (!lstatSync(folder).isDirectory()) throw new AppError('conflict', notAFolder);
  writeDurably(path.join(folder, file), packageText(json));
}
