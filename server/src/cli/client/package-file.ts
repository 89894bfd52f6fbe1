import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type Json, JsonError, type JsonObject } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';
import { packageText, parsePackage } from '../../domains/form-packages/index.ts';
import { readNamedFile } from '../../kernel/plain-file.ts';

/** Reads a package file that a person named, or returns the reason why it cannot be used. */
export function readPackageFile(file: string): { json: Json } | { reason: string } {
  try {
    const bytes = readNamedFile(file, formPackageLimits.fileBytes);
    return bytes
      ? { json: parsePackage(bytes) }
      : { reason: `It is not a regular file of at most ${formPackageLimits.fileBytes} bytes.` };
  } catch (error) {
    return { reason: error instanceof JsonError ? error.message : 'It cannot be read.' };
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
