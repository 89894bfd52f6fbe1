import vm from 'node:vm';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { ExactNumber, parseExactly } from '#shared/kernel/exact-number';
import { escapePointer, isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { formSchemaLimits } from '#shared/limits';
import { freeValues, isOwnAnnotation, keywords } from './keywords.ts';
import { findRuleProblems, type SchemaProblem } from './rules.ts';

/** Reason why a value does not satisfy a schema. It never holds a part of the value. */
type ValueFault = { valid: false; pointer: string; message: string };
export type ValueResult = { valid: true } | ValueFault;

export type SchemaRequest =
  | { kind: 'check'; schema: string }
  /** `digest` names the schema, so that it is compiled once. */
  | { kind: 'validate'; digest: string; schema: string; value: string };
export type SchemaAnswer = { problems: SchemaProblem[] } | ValueResult;

type Compiled = {
  validate: ValidateFunction;
  /** Names of members that the schema declares. */
  names: ReadonlySet<string>;
  /** True when the schema refuses members that nothing evaluated. */
  closesUnevaluated: boolean;
};

/** The last schemas that were used, oldest first. */
const compiled = new Map<string, Compiled>();

/** Works on one request; called in a worker thread, because a schema may need any amount of time. */
export function answer(request: SchemaRequest): SchemaAnswer {
  if (request.kind === 'check') return { problems: checkSchema(parseExactly(request.schema) as Json) };
  return validateValue(findCompiled(request), parseExactly(request.value) as Json);
}

/** Runs work with a time limit. Returns undefined when it is exceeded. */
function within<T>(ms: number, work: () => T): { value: T } | undefined {
  const holder = globalThis as { boundedWork?: () => T };
  holder.boundedWork = work;
  try {
    return { value: new vm.Script('globalThis.boundedWork()').runInThisContext({ timeout: ms }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    delete holder.boundedWork;
  }
}

let metaSchema: Ajv2020 | undefined;

function checkSchema(schema: Json): SchemaProblem[] {
  const problems = findRuleProblems(schema);
  if (problems.length > 0) return problems;
  try {
    const checked = within(formSchemaLimits.compileMs, () => {
      metaSchema ??= new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
      if (metaSchema.validateSchema(schema as JsonObject) !== true) return shapeProblems(metaSchema.errors ?? []);
      compile(schema);
      return [];
    });
    if (checked) return checked.value;
    return [
      {
        pointer: '',
        message: `It could not be compiled within ${formSchemaLimits.compileMs / 1_000} seconds. Simplify it.`,
      },
    ];
  } catch {
    return [{ pointer: '', message: 'It could not be compiled. Simplify it.' }];
  }
}

/** One problem for each location; a location that fails several alternatives is reported with the first of them. */
function shapeProblems(errors: readonly ErrorObject[]): SchemaProblem[] {
  const byPointer = new Map<string, SchemaProblem>();
  for (const { instancePath: pointer, message = 'is not valid' } of errors)
    if (!byPointer.has(pointer)) byPointer.set(pointer, { pointer, message: messageTextOf(message) });
  return [...byPointer.values()].slice(0, formSchemaLimits.problems);
}

const compile = (schema: Json): ValidateFunction =>
  new Ajv2020({
    strict: false,
    strictNumbers: true,
    // The meta-schema was checked when the package was installed.
    meta: false,
    validateSchema: false,
    // An annotation, as the default vocabulary of the dialect says.
    validateFormats: false,
    // Members that every object inherits are not members of a value.
    ownProperties: true,
    inlineRefs: false,
    // Its optimizer takes longer than a few evaluations save.
    code: { optimize: false },
    logger: false,
  }).compile(withoutFreeValues(schema) as JsonObject);

/** Returns the schema without values in which a validator would look for identifiers. */
function withoutFreeValues(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([keyword]) => keyword !== '$schema' && !freeValues.has(keyword) && !isOwnAnnotation(keyword),
  );
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, withoutFreeIn(keyword, value)]));
}

function withoutFreeIn(keyword: string, value: Json): Json {
  const content = keywords.get(keyword);
  if (content === 'schema') return withoutFreeValues(value);
  if (content === 'schemas' && Array.isArray(value)) return value.map(withoutFreeValues);
  if (content !== 'named' || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutFreeValues(schema)]));
}

/** Parses and compiles a schema only when it is not one of the last. Returns undefined when that takes too long. */
function findCompiled({ digest, schema }: { digest: string; schema: string }): Compiled | undefined {
  const entry = compiled.get(digest) ?? newCompiled(parseExactly(schema) as Json);
  if (!entry) return undefined;
  compiled.delete(digest);
  compiled.set(digest, entry);
  const [oldest] = compiled.keys();
  if (compiled.size > formSchemaLimits.cachedSchemas && oldest !== undefined) compiled.delete(oldest);
  return entry;
}

function newCompiled(schema: Json): Compiled | undefined {
  const validate = within(formSchemaLimits.compileMs, () => compile(schema));
  if (!validate) return undefined;
  const names = new Set<string>();
  const closesUnevaluated = collectNames(schema, names);
  return { validate: validate.value, names, closesUnevaluated };
}

/** Adds the names that `properties` and `required` declare. Returns whether a part uses `unevaluatedProperties`. */
function collectNames(value: Json, names: Set<string>): boolean {
  if (!isContainer(value)) return false;
  let closes = !Array.isArray(value) && Object.hasOwn(value, 'unevaluatedProperties');
  for (const [key, child] of Object.entries(value)) {
    for (const name of declaredBy(key, child as Json)) names.add(name);
    if (collectNames(child as Json, names)) closes = true;
  }
  return closes;
}

function declaredBy(keyword: string, value: Json): string[] {
  if (keyword === 'properties' && isJsonObject(value)) return Object.keys(value);
  if (keyword === 'required' && Array.isArray(value)) return value.filter((name) => typeof name === 'string');
  return [];
}

const undecided = 'Its schema did not decide about it in time. Shorten the value, or have the schema simplified.';

function validateValue(schema: Compiled | undefined, value: Json): ValueResult {
  if (!schema) return { valid: false, pointer: '', message: undecided };
  const refused = findUncheckable(value, schema);
  if (refused) return { ...refused, pointer: declaredPart(refused.pointer, value, schema.names) };
  try {
    const result = within(formSchemaLimits.validateMs, () => schema.validate(value) as boolean);
    if (!result) return { valid: false, pointer: '', message: undecided };
    return result.value ? { valid: true } : faultOf(schema, value);
  } catch {
    // A schema that refers to itself without an end, or a value that the validator cannot compare.
    return { valid: false, pointer: '', message: undecided };
  }
}

function faultOf({ validate, names }: Compiled, value: Json): ValueFault {
  const errors = validate.errors ?? [];
  const last = errors.at(-1);
  // Alternatives report the faults of each of them first.
  const { instancePath = '', message = 'is not valid' } =
    (last && ['anyOf', 'oneOf', 'contains'].includes(last.keyword) ? last : errors[0]) ?? {};
  return { valid: false, pointer: declaredPart(instancePath, value, names), message: messageTextOf(message) };
}

/** Turns a message of the validator, which names only facts of the schema, into a sentence. */
const messageTextOf = (message: string): string => {
  const { messageLength } = formSchemaLimits;
  const short = message.length > messageLength ? `${message.slice(0, messageLength)}…` : message;
  return `It ${short.replace('must NOT', 'must not')}.`;
};

/** Names that the validator would consider evaluated, because every object inherits them. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Returns the first location of a value about which the validator could be wrong. */
function findUncheckable(value: Json, schema: Compiled, pointer = ''): ValueFault | undefined {
  if (value instanceof ExactNumber)
    return {
      valid: false,
      pointer,
      message: 'It has more digits than JSON can exchange (RFC 7493, 2.2). Send it as a string.',
    };
  if (!isContainer(value)) return undefined;
  for (const [key, child] of Object.entries(value)) {
    if (schema.closesUnevaluated && inherited.has(key))
      return { valid: false, pointer, message: 'It has a member with a name that this schema cannot close.' };
    const fault = findUncheckable(child as Json, schema, `${pointer}/${escapePointer(key)}`);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns the longest part of a pointer that holds only positions of lists and names that the schema declares. */
function declaredPart(pointer: string, value: Json, names: ReadonlySet<string>): string {
  let at: Json | undefined = value;
  let declared = '';
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isContainer(at) || (!Array.isArray(at) && !names.has(key))) break;
    at = (at as Record<string, Json>)[key];
    declared += `/${token}`;
  }
  return declared;
}
