import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type Json, JsonError, type JsonObject } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';
import { packageText, parsePackage } from '../../domains/form-packages/index.ts';

/** Reads a package file that a person named, or returns the reason why it cannot be used. */
export function readPackageFile(file: string): { json: Json } | { reason: string } {
  try {
    const bytes = readBounded(file);
    return bytes
      ? { json: parsePackage(bytes) }
      : { reason: `It is not a regular file of at most ${formPackageLimits.fileBytes} bytes.` };
  } catch (error) {
    return { reason: error instanceof JsonError ? error.message : 'It cannot be read.' };
  }
}

function readBounded(file: string): Uint8Array | undefined {
  if (!statSync(file).isFile()) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    return size > formPackageLimits.fileBytes ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the content of a package file atomically. Its mode stays, and a link to it still leads there. */
export function rewritePackageFile(file: string, json: JsonObject): void {
  const target = realpathSync(file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, packageText(json), { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, statSync(target).mode);
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}
