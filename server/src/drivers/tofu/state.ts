import { type Json, type JsonObject, parseStrictJson } from '#shared/kernel/json';
import { TofuError } from './error.ts';
import { shapesOf } from './json-shape.ts';
import { hasMoreValuesThan, stateMaxValues } from './json-size.ts';

const unreadable = (what: string): TofuError =>
  new TofuError(
    'state_unreadable',
    `The state ${what}. Restore the last StateVersion or a backup before planning again.`,
  );
const shapes = shapesOf(unreadable);
const { list, record } = shapes;

export type StateResource = {
  /** Address of one instance, with its module path and index, as the tool prints it. */
  address: string;
  mode: 'managed' | 'data';
  type: string;
  name: string;
  module?: string;
  /** Key of a deposed object, which a replace left behind. */
  deposed?: string;
  /** Attributes as the provider returned them, including sensitive ones: for comparing objects, never for display. */
  attributes?: Json;
};

export type StateOutput = {
  value: Json;
  /** Type constraint in the tool's JSON form, such as `"string"` or `["list","string"]`. */
  type: Json;
  sensitive: boolean;
};

export type State = {
  version: number;
  lineage: string;
  serial: number;
  toolVersion: string;
  /** Managed instances, without data sources and deposed objects. */
  resourceCount: number;
  resources: readonly StateResource[];
  outputs: { readonly [name: string]: StateOutput };
};

/** Maximum nesting, far above real states. */
const maxDepth = 512;

/**
 * Reads the unsealed text of a state in format 4. Throws `state_unreadable` when it is incomplete: a truncated file
 * never counts as a state.
 */
export const readState = (text: string): State => stateOf(parseState(text));

/** Interprets a parsed state in format 4. Throws `state_unreadable`. */
export function stateOf(state: JsonObject): State {
  const { version, lineage, serial, terraform_version: toolVersion } = state;
  if (version !== 4) throw unreadable('is not in format 4');
  if (typeof lineage !== 'string' || lineage === '') throw unreadable('has no lineage');
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0) throw unreadable('has no serial');
  const resources = list(state.resources).flatMap((item) => instancesOf(record(item)));
  return {
    version,
    lineage,
    serial,
    toolVersion: typeof toolVersion === 'string' ? toolVersion : '',
    resourceCount: resources.filter((resource) => resource.mode === 'managed' && resource.deposed === undefined).length,
    resources,
    outputs: outputsOf(record(state.outputs ?? {})),
  };
}

/** Parses a state as JSON without interpreting it. Throws `state_unreadable`. */
export function parseState(text: string): JsonObject {
  if (hasMoreValuesThan(stateMaxValues, text)) throw unreadable(`holds more than ${stateMaxValues} values`);
  try {
    // A map of a provider may have any key, and refusing one would lose the state.
    return record(parseStrictJson(text, { maxDepth, protoKey: 'kept', longNumbers: 'kept' }));
  } catch (cause) {
    if (cause instanceof TofuError) throw cause;
    throw unreadable('is not complete JSON');
  }
}

function instancesOf(resource: JsonObject): StateResource[] {
  const { base, ...named } = namesOf(resource);
  return list(resource.instances).map((item) => {
    const { index_key: key, deposed, attributes } = record(item);
    return {
      address: base + indexOf(key),
      ...named,
      ...(typeof deposed === 'string' ? { deposed } : {}),
      ...(attributes === undefined ? {} : { attributes }),
    };
  });
}

/** Names of a resource, and its address without a key. */
function namesOf({ mode, type, name, module }: JsonObject) {
  if ((mode !== 'managed' && mode !== 'data') || typeof type !== 'string' || typeof name !== 'string')
    throw unreadable('has a resource without mode, type and name');
  const inModule = typeof module === 'string' ? module : undefined;
  const base = `${inModule === undefined ? '' : `${inModule}.`}${mode === 'data' ? 'data.' : ''}${type}.${name}`;
  return { base, mode, type, name, ...(inModule === undefined ? {} : { module: inModule }) } as const;
}

const indexOf = (key: Json | undefined): string => {
  if (typeof key === 'number') return `[${key}]`;
  return typeof key === 'string' ? `["${escapeKey(key)}"]` : '';
};

const named: { readonly [char: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/**
 * Quotes an instance key as the tool does in an address: an HCL string literal, so templates are escaped too, and
 * unprintable characters (Go's `unicode.IsPrint`) by their number.
 */
const escapeKey = (key: string): string =>
  key
    .replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => named[char] ?? numbered(char.codePointAt(0) as number))
    .replace(/([$%])\{/g, '$1$1{');

const numbered = (point: number): string =>
  point < 0x1_0000 ? `\\u${point.toString(16).padStart(4, '0')}` : `\\U${point.toString(16).padStart(8, '0')}`;

/** Parts that other readers of a state share. */
export const stateParts = { ...shapes, namesOf, indexOf };

export function outputsOf(outputs: JsonObject): { [name: string]: StateOutput } {
  const read = Object.entries(outputs).map(([name, item]) => {
    const { value = null, type = 'dynamic', sensitive } = record(item);
    return [name, { value, type, sensitive: sensitive === true }] as const;
  });
  return Object.fromEntries(read);
}
