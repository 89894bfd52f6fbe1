import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { attribute, type Parser } from '#server/drivers/scan/index';
import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { commentKey, commentText, editJsonCall, locateJsonCalls } from './json-calls.ts';
import type { LocatedCall } from './located-call.ts';
import { ModuleCallError } from './module-call-error.ts';
import { editNativeCall, locateNativeCalls } from './native-calls.ts';
import { applyEdits } from './text-edit.ts';

/** A configuration file; `path` is for messages. */
export type CallFile = { path: string; bytes: Buffer; json: boolean };

/** New sources by the name of the call. */
export type NewSources = ReadonlyMap<string, string>;

/** Returns the module calls of a file with their locations. Throws `ModuleCallError` for a file that cannot be read. */
export async function locateCalls(file: CallFile, parse: Parser): Promise<LocatedCall[]> {
  await parseFile(file, parse);
  const text = decode(file.bytes);
  return file.json ? locateJsonCalls(text) : locateNativeCalls(text);
}

/**
 * Returns the bytes of a file in which the named calls have a local source and no version; all other bytes are
 * unchanged. Names of calls that the file does not hold are ignored. The result is parsed again, and any difference but
 * the two arguments is an error. Throws `ModuleCallError`.
 */
export async function rewriteCalls(file: CallFile, sources: NewSources, parse: Parser): Promise<Buffer> {
  const before = await parseFile(file, parse);
  for (const source of sources.values()) assertExpressible(source, file);
  const text = decode(file.bytes);
  const rewritten = Buffer.from(applyEdits(text, await editsOf(text, file, sources)));
  const after = await parseFile({ ...file, bytes: rewritten }, parse).catch(() => undefined);
  if (!isDeepStrictEqual(after, withSources(before, sources, file.json))) {
    throw new ModuleCallError(
      'rewrite_differs',
      `The module calls in ${file.path} cannot be rewritten without changing more of the file. Move them to a file of their own.`,
    );
  }
  return rewritten;
}

async function editsOf(text: string, { json }: CallFile, sources: NewSources) {
  const named = <T>(call: LocatedCall, edit: (source: string) => T[]): T[] => {
    const source = sources.get(call.name);
    return source === undefined ? [] : edit(source);
  };
  if (json) return locateJsonCalls(text).flatMap((call) => named(call, (source) => editJsonCall(call, source)));
  const calls = await locateNativeCalls(text);
  return calls.flatMap((call) => named(call, (source) => editNativeCall(call, source, text)));
}

async function parseFile({ path, bytes, json }: CallFile, parse: Parser): Promise<Json> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const parsed = await parse({ bytes, digest, json });
  if (parsed.ok) return parsed.root;
  throw new ModuleCallError('file_unreadable', `${path} cannot be read as configuration: ${parsed.message}.`);
}

/** Decodes UTF-8 with its byte order mark, so that encoding the text gives the same bytes. */
const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Matches what a scan reads as a template or as another separator, and what native syntax cannot quote. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const inexpressible = /[\u0000-\u001f\u007f\\]|[$%]\{/;

function assertExpressible(source: string, { path }: CallFile): void {
  if (/^\.\.?\//.test(source) && !inexpressible.test(source) && source.isWellFormed()) return;
  throw new ModuleCallError(
    'source_not_expressible',
    `A module called in ${path} lies in a folder whose name cannot be written as a source. Rename the folder.`,
  );
}

const mapBodies = (value: Json, change: (body: JsonObject) => Json): Json => {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item) => (isJsonObject(item) ? change(item) : item));
  }
  return isJsonObject(value) ? change(value) : value;
};

/** Returns the parsed file as it must read after the rewriting. */
const withSources = (root: Json, sources: NewSources, json: boolean): Json =>
  mapBodies(root, (body) => {
    const calls = attribute(body, 'module');
    return calls === undefined ? body : { ...body, module: mapBodies(calls, (level) => renamed(level, sources, json)) };
  });

const renamed = (level: JsonObject, sources: NewSources, json: boolean): JsonObject =>
  Object.fromEntries(
    Object.entries(level).map(([name, call]) => {
      const source = sources.get(name);
      return [name, source === undefined ? call : mapBodies(call, (body) => withSource(body, source, json))];
    }),
  );

function withSource(body: JsonObject, newSource: string, json: boolean): JsonObject {
  const { source, version, ...rest } = body;
  if (source === undefined) return rest;
  const isCommented = !json || Object.hasOwn(body, commentKey);
  return { ...rest, source: newSource, ...(isCommented ? {} : { [commentKey]: commentText(source, version) }) };
}
