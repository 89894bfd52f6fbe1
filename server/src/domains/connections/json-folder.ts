import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '#server/kernel/log';
import { type Json, JsonError, parseStrictJson } from '#shared/kernel/json';

const maxFiles = 256;
const maxBytes = 262_144;

/** A file that cannot be used; its message is logged. */
export class FileRefusal extends Error {}

type Entry = { name: string; mark: string };
type JsonFolder<T> = {
  dir: string;
  /** Throws `FileRefusal`, with the problem and the remedy. */
  parse: (json: Json, fileName: string) => T;
  idOf: (value: T) => string;
  log: Pick<Log, 'warn'>;
};

/**
 * Reads the JSON files of an operator's folder, in the order of their names. Returns a function that returns the current files and reads
 * again only the files that changed. An invalid file is logged once and left out; a missing folder counts as empty.
 */
export function createJsonFolder<T>({ dir, parse, idOf, log }: JsonFolder<T>): () => readonly T[] {
  let seen = '';
  let values: readonly T[] = [];

  function read(name: string): T | undefined {
    try {
      return parse(readJson(path.join(dir, name)), name);
    } catch (error) {
      const why = error instanceof FileRefusal || error instanceof JsonError ? error.message : 'It cannot be read.';
      log.warn({ file: path.join(dir, name) }, `a file of the operator is left out: ${why}`);
      return undefined;
    }
  }

  return () => {
    const entries = listFiles(dir);
    const now = JSON.stringify(entries);
    if (now === seen) return values;
    const loaded = new Map<string, T>();
    for (const { name } of entries) {
      const value = read(name);
      if (value === undefined) continue;
      if (loaded.has(idOf(value)))
        log.warn({ file: path.join(dir, name) }, 'a file of the operator is left out: another has the same id');
      else loaded.set(idOf(value), value);
    }
    seen = now;
    values = [...loaded.values()];
    return values;
  };
}

function listFiles(dir: string): Entry[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .slice(0, maxFiles)
    .flatMap((name) => {
      const info = lstatSync(path.join(dir, name), { throwIfNoEntry: false });
      return info ? [{ name, mark: `${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}` }] : [];
    });
}

function readJson(file: string): Json {
  const info = lstatSync(file);
  if (!info.isFile()) throw new FileRefusal('It is not a regular file.');
  if (info.size > maxBytes) throw new FileRefusal(`It is larger than ${maxBytes} bytes.`);
  return parseStrictJson(readFileSync(file, 'utf8'));
}
