import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { outputsOf, parseState, type StateOutput, stateParts } from './state.ts';

const { list, record, namesOf, indexOf } = stateParts;

/** Step of a path into attributes; undefined for one that no container has, such as the element of a set. */
export type MarkStep = string | number | undefined;

/** One object of a state with its sensitive marks. `private` data of the provider is never read. */
export type StateObject = {
  address: string;
  moduleAddress?: string;
  mode: 'managed' | 'data';
  type: string;
  name: string;
  index?: string | number;
  providerName: string;
  attributes: Json;
  deposed?: string;
  isTainted: boolean;
  dependsOn: string[];
  /** Paths that the tool marks: those of variables, and those of the provider's schema. */
  marks: MarkStep[][];
};

export type StateCheck = {
  kind: 'check' | 'resource' | 'output' | 'variable';
  address: string;
  status: 'pass' | 'fail' | 'error' | 'unknown';
  messages: string[];
};

export type StateContents = {
  objects: StateObject[];
  outputs: { readonly [name: string]: StateOutput };
  checks: StateCheck[];
};

/** Reads everything that is shown of a state in format 4. Throws `state_unreadable`. */
export function readStateContents(text: string): StateContents {
  const state = parseState(text);
  return {
    objects: list(state['resources']).flatMap((item) => objectsOf(record(item))),
    outputs: outputsOf(record(state['outputs'] ?? {})),
    checks: list(state['check_results'] ?? []).flatMap((item) => checksOf(record(item))),
  };
}

function objectsOf(resource: JsonObject): StateObject[] {
  const { base, module, ...named } = namesOf(resource);
  const providerName = /provider\["([^"]+)"\]/.exec(String(resource['provider']))?.[1] ?? '';
  return list(resource['instances']).map((item) => {
    const { index_key: key, deposed, attributes = null, status, dependencies, sensitive_attributes } = record(item);
    return {
      address: base + indexOf(key),
      ...(module !== undefined && { moduleAddress: module }),
      ...named,
      ...((typeof key === 'string' || typeof key === 'number') && { index: key }),
      providerName,
      attributes,
      ...(typeof deposed === 'string' && { deposed }),
      isTainted: status === 'tainted',
      dependsOn: textsOf(dependencies),
      marks: marksOf(sensitive_attributes),
    };
  });
}

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Marks that cannot be read count for the whole object. */
function marksOf(value: Json | undefined): MarkStep[][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [[]];
  return value.map((path) => (Array.isArray(path) ? path.map((step: Json) => stepOf(step)) : []));
}

/** The key of an index step is `{"value", "type"}` itself. */
function stepOf(step: Json): MarkStep {
  let value: Json | undefined = isJsonObject(step) ? step['value'] : undefined;
  if (isJsonObject(value)) value = value['value'];
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

const checkKinds: { readonly [kind: string]: StateCheck['kind'] } = {
  check: 'check',
  resource: 'resource',
  output: 'output',
  var: 'variable',
  input: 'variable',
};
const checkStates = ['pass', 'fail', 'error', 'unknown'] as const;
const statusOf = (value: Json | undefined): StateCheck['status'] =>
  checkStates.find((known) => known === value) ?? 'unknown';

/** One result for each instance; a block without instances has one of its own. */
function checksOf({ object_kind, config_addr, status, objects }: JsonObject): StateCheck[] {
  const kind = checkKinds[String(object_kind)];
  if (kind === undefined || typeof config_addr !== 'string') return [];
  const instances = list(objects ?? []).map((item) => record(item));
  if (instances.length === 0) return [{ kind, address: config_addr, status: statusOf(status), messages: [] }];
  return instances.map((one) => ({
    kind,
    address: typeof one['object_addr'] === 'string' ? one['object_addr'] : config_addr,
    status: statusOf(one['status']),
    messages: textsOf(one['failure_messages']),
  }));
}
