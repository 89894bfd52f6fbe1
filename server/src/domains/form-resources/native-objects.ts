import { closeSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isDiskFault, makeFolder, removeUnfinished, syncFolder, writeDurably } from '#server/kernel/disk';
import { openInside, readPieces } from '#server/kernel/open-inside';
import { NativeId, SpecObject } from '#shared/form-resources/contract';
import { type JsonObject, parseStrictJson } from '#shared/kernel/json';
import { formHostLimits } from '#shared/limits';
import { vendor } from '#shared/vendor';
import { unusableFolder } from './refusals.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const kind = `${vendor}.form-native@v1`;

const Owner = z.strictObject({
  workspaceId: z.string(),
  resourceId: z.string(),
  generation: z.int().min(1),
  /** Identity of the operation that wrote the file; `backup` for one that a backup wrote. */
  operation: z.string(),
});
const NativeFile = z.strictObject({ kind: z.literal(kind).optional(), spec: SpecObject, owner: Owner.optional() });
export type NativeOwner = z.infer<typeof Owner>;

/** Content at the path of a native object. A link, a pipe and a file of another form are `unreadable`. */
export type NativeObject =
  | { state: 'present'; spec: JsonObject; owner: NativeOwner | undefined }
  | { state: 'missing' }
  | { state: 'unreadable' };

const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** Returns the text of an open file; undefined when it is too large. Throws when it is not UTF-8. */
function readText(descriptor: number): string | undefined {
  const bytes = Buffer.concat(
    Array.from(readPieces(descriptor, formHostLimits.nativeBytes + 1), (piece) => Buffer.from(piece)),
  );
  return bytes.length > formHostLimits.nativeBytes ? undefined : utf8.decode(bytes);
}

/** Text of the file of a native object; without an owner an import can adopt it. */
export const nativeText = (spec: JsonObject, owner: NativeOwner | undefined): string =>
  `${JSON.stringify({ kind, spec, ...(owner && { owner }) })}\n`;

const suffix = '.json';

function idsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .filter((id) => NativeId.safeParse(id).success)
    .sort();
}

export type NativeObjects = ReturnType<typeof createNativeObjects>;

/** The native objects of Resources: one file each, written as a whole. */
export function createNativeObjects(dataDir: string) {
  const folder = path.join(dataDir, 'forms', 'native');
  const nameOf = (nativeId: string) => `${nativeId}${suffix}`;
  const pathOf = (nativeId: string) => path.join(folder, nameOf(nativeId));
  /** Reports whether neither folder is a link or a file: what is written through one would be elsewhere. */
  const isOwnFolder = () =>
    [path.dirname(folder), folder].every((each) => !isThere(each) || lstatSync(each).isDirectory());

  /** Changes the folder. Throws 503 for what the operator has to repair there; errors of the disk are thrown as they are. */
  function withFolder(change: () => void): void {
    if (!isOwnFolder()) throw unusableFolder();
    try {
      change();
    } catch (error) {
      throw isDiskFault(error) ? error : unusableFolder();
    }
  }

  return {
    folder,
    pathOf,
    /** Lists the ids whose names are taken, in their order. */
    listIds: (): string[] => idsIn(folder),
    read(nativeId: string): NativeObject {
      if (!isOwnFolder()) return { state: 'unreadable' };
      const file = openInside(folder, nameOf(nativeId));
      if (!file) return isThere(pathOf(nativeId)) ? { state: 'unreadable' } : { state: 'missing' };
      try {
        const text = readText(file.descriptor);
        const parsed = text === undefined ? undefined : NativeFile.safeParse(parseStrictJson(text));
        if (!parsed?.success) return { state: 'unreadable' };
        return { state: 'present', spec: parsed.data.spec, owner: parsed.data.owner };
      } catch {
        return { state: 'unreadable' };
      } finally {
        closeSync(file.descriptor);
      }
    },
    write(nativeId: string, spec: JsonObject, owner: NativeOwner): void {
      withFolder(() => {
        makeFolder(folder);
        writeDurably(pathOf(nativeId), nativeText(spec, owner));
      });
    },
    /** Removes what an interrupted write has left beside the native object. */
    discard: (nativeId: string): void => removeUnfinished(path.join(folder, nameOf(nativeId))),
    remove(nativeId: string): void {
      withFolder(() => {
        rmSync(pathOf(nativeId), { force: true });
        if (isThere(folder)) syncFolder(folder);
      });
    },
  };
}
