import { StringDecoder } from 'node:string_decoder';
import type { PlanSummary } from '#shared/plans/summary';
import { isName, readDiagnostic } from './diagnostic.ts';
import type { LogLevel, ResourceEvent, StreamEvent, ToolName } from './types.ts';

export type StreamParser = {
  /** Receives bytes in any chunks; a line may be cut anywhere, even inside a character. */
  write: (chunk: Uint8Array) => void;
  /** Ends the stream; a last line without line feed counts. */
  end: () => void;
};

type Fields = { readonly [key: string]: unknown };

/**
 * Maximum length of a parsed line: longer ones could use many times their size in memory. Only a state that could not
 * be saved is longer, and it is cut out as text.
 */
const maxParsedLength = 8 * 1024 * 1024;

/**
 * Parses the `-json` stream of init, get, plan and apply line by line into events. A line produces at most one
 * structured event, and one `log` event when it has a useful message; a line that is not a JSON object is a `log`
 * event. Code of the module writes into this stream too: every field is checked, and lines longer than `maxLineBytes`
 * (64 MiB, because a state that could not be saved is one line) are dropped with a warning.
 */
export function createStreamParser(options: {
  onEvent: (event: StreamEvent) => void;
  maxLineBytes?: number;
}): StreamParser {
  const limit = options.maxLineBytes ?? 64 * 1024 * 1024;
  let pieces: string[] = [];
  let length = 0;
  let decoder = new StringDecoder('utf8');
  let afterDump = false;
  const emitLine = (): void => {
    const tooLong = length > limit;
    const line = pieces.join('') + decoder.end();
    pieces = [];
    length = 0;
    decoder = new StringDecoder('utf8');
    if (tooLong)
      options.onEvent({ kind: 'log', level: 'warn', text: `[a line of more than ${limit} bytes was left out]` });
    else afterDump = readLine({ line: line.replace(/\r$/, ''), afterDump, emit: options.onEvent });
  };
  const keep = (bytes: Uint8Array): void => {
    length += bytes.length;
    if (length > limit) pieces = [];
    else if (bytes.length > 0) pieces.push(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  };
  return {
    write: (chunk) => {
      let start = 0;
      for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, start)) {
        keep(chunk.subarray(start, feed));
        emitLine();
        start = feed + 1;
      }
      keep(chunk.subarray(start));
    },
    end: () => {
      if (length > 0) emitLine();
    },
  };
}

type Line = { line: string; afterDump: boolean; emit: (event: StreamEvent) => void };

/** Handles one line; returns whether the next plain lines belong to a state that was printed instead of saved. */
function readLine({ line, afterDump, emit }: Line): boolean {
  if (line.trim() === '') return afterDump;
  if (line.length > maxParsedLength) return readLongLine({ line, afterDump, emit });
  const fields = parseFields(line);
  if (fields === undefined) return readPlainLine({ line, afterDump, emit });
  if (fields.state !== undefined) {
    const state = sliceState(line) ?? printed(fields.state);
    if (state !== undefined) emit({ kind: 'stateDump', state });
    return false;
  }
  const event = readEvent(fields);
  if (event !== undefined) emit(event);
  const text = textOf(fields['@message']);
  if (text !== undefined && !silent.has(textOf(fields.type) ?? ''))
    emit({ kind: 'log', level: levelOf(fields['@level']), text, ...pieceOf(fields, text) });
  // A line of the protocol ends a plain dump; JSON that the module printed does not.
  return afterDump && fields['@level'] === undefined;
}

/**
 * Returns the piece of a provisioner's output. The tool reports it line by line, and a line in pieces when the program
 * pauses within it.
 */
function pieceOf(fields: Fields, text: string): { piece?: { source: string; length: number } } {
  if (fields.type !== 'provision_progress') return {};
  const hook = objectOf(fields.hook);
  const output = textOf(hook?.output);
  const source = objectOf(hook?.resource)?.addr;
  if (output === undefined || !isName(source) || !text.endsWith(output)) return {};
  return { piece: { source, length: output.length } };
}

/** Types whose message repeats the event and adds nothing to the log. */
const silent: ReadonlySet<string> = new Set(['version', 'outputs']);

function readEvent(fields: Fields): StreamEvent | undefined {
  const type = fields.type;
  if (type === 'diagnostic') {
    const diagnostic = readDiagnostic(fields.diagnostic);
    return diagnostic && { kind: 'diagnostic', ...diagnostic };
  }
  if (type === 'version') return readVersion(fields);
  if (type === 'change_summary') return readSummary(objectOf(fields.changes));
  if (type === 'outputs') {
    const outputs = objectOf(fields.outputs);
    return outputs && { kind: 'outputs', actions: outputActions(outputs) };
  }
  if (type === 'planned_change' || type === 'resource_drift')
    return readPlanned(objectOf(fields.change), type === 'resource_drift');
  return typeof type === 'string' ? readHook(type, objectOf(fields.hook)) : undefined;
}

function readVersion(fields: Fields): StreamEvent | undefined {
  const tool: ToolName = typeof fields.tofu === 'string' ? 'tofu' : 'terraform';
  const version = textOf(fields[tool]);
  return version === undefined ? undefined : { kind: 'version', tool, version, ui: textOf(fields.ui) ?? '' };
}

const outputActions = (outputs: Fields): Map<string, string> =>
  new Map(
    Object.entries(outputs).flatMap(([name, output]) => {
      const action = textOf(objectOf(output)?.action);
      return action === undefined ? [] : [[name, action]];
    }),
  );

/** An ephemeral resource (`ephemeral.<type>.<name>`) is opened and changes nothing. */
const ephemeral = /^ephemeral\.[^.[]+\./;

function readPlanned(change: Fields | undefined, isDrift: boolean): StreamEvent | undefined {
  const resource = objectOf(change?.resource);
  const address = resource?.addr;
  const action = textOf(change?.action);
  if (typeof address !== 'string' || action === undefined || ephemeral.test(textOf(resource?.resource) ?? ''))
    return undefined;
  const previousAddress = textOf(objectOf(change?.previous_resource)?.addr);
  return {
    kind: 'planned',
    isDrift,
    address,
    action,
    ...(previousAddress !== undefined && { previousAddress }),
    isImport: objectOf(change?.importing) !== undefined,
  };
}

const operationOf = (value: unknown): 'plan' | 'apply' | 'destroy' | undefined =>
  value === 'plan' || value === 'apply' || value === 'destroy' ? value : undefined;

function readSummary(changes: Fields | undefined): StreamEvent | undefined {
  const operation = operationOf(changes?.operation);
  const [add, change, destroy] = [changes?.add, changes?.change, changes?.remove].map(countOf);
  if (operation === undefined || add === undefined || change === undefined || destroy === undefined) return undefined;
  const summary: PlanSummary = { add, change, destroy };
  const imported = countOf(changes?.import);
  const forgotten = countOf(changes?.forget);
  if (imported) summary.import = imported;
  if (forgotten) summary.forget = forgotten;
  return { kind: 'summary', operation, ...summary };
}

const hookStates: { readonly [type: string]: ResourceEvent['state'] } = {
  apply_start: 'started',
  apply_progress: 'progress',
  apply_complete: 'completed',
  apply_errored: 'errored',
  refresh_start: 'started',
  refresh_complete: 'completed',
};

/** A forget or a move changes only the state. A replace reaches the stream as its two halves. */
const hookActions: { readonly [action: string]: ResourceEvent['action'] } = {
  create: 'create',
  read: 'read',
  update: 'update',
  replace: 'update',
  delete: 'delete',
  import: 'import',
  noop: 'no-op',
  move: 'no-op',
  remove: 'no-op',
  forget: 'no-op',
};

function readHook(type: string, hook: Fields | undefined): StreamEvent | undefined {
  const state = Object.hasOwn(hookStates, type) ? hookStates[type] : undefined;
  const address = objectOf(hook?.resource)?.addr;
  if (state === undefined || !isName(address)) return undefined;
  const named = type.startsWith('refresh_') ? 'read' : (textOf(hook?.action) ?? '');
  const action = Object.hasOwn(hookActions, named) ? hookActions[named] : undefined;
  if (action === undefined) return undefined;
  const seconds = hook?.elapsed_seconds;
  const timed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return { kind: 'resource', address, action, state, ...(timed ? { elapsedMs: Math.round(seconds * 1000) } : {}) };
}

function readPlainLine({ line, afterDump, emit }: Line): boolean {
  const isDump = afterDump || line.includes('Emergency state dump');
  if (isDump) emit({ kind: 'stateDump', state: line });
  else emit({ kind: 'log', level: 'info', text: line });
  return isDump;
}

/** Maximum length of the head of a line of the protocol: level, message, module and time. */
const headLength = 4_096;

function readLongLine({ line, afterDump, emit }: Line): boolean {
  const isDump = line.startsWith('{') && line.slice(0, headLength).includes('"state":');
  const state = isDump ? cutState(line) : afterDump ? line : undefined;
  if (state !== undefined) emit({ kind: 'stateDump', state });
  else emit({ kind: 'log', level: 'warn', text: `[a line of ${line.length} characters was left out]` });
  return afterDump && !isDump;
}

/** Returns the text of the state exactly as it is in the line: parsing and printing would change its large numbers. */
function sliceState(line: string): string | undefined {
  const slice = cutState(line);
  return slice === undefined || parseFields(slice) === undefined ? undefined : slice;
}

/**
 * Cuts out a state. The tool writes the key once, before `type`; a line in any other form is not its own and may lose
 * precision.
 */
function cutState(line: string): string | undefined {
  const start = line.indexOf('"state":');
  const end = line.lastIndexOf(',"type":"log"}');
  return start >= 0 && end > start ? line.slice(start + '"state":'.length, end) : undefined;
}

/** Prints a state; undefined for one that is nested too deep to be printed, which is not a state. */
function printed(state: unknown): string | undefined {
  try {
    return JSON.stringify(state);
  } catch {
    return undefined;
  }
}

function parseFields(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Fields | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : undefined;

/**
 * Returns a string value without conversion: an object can have its own conversion, and a deeply nested list cannot be
 * converted.
 */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

const levels: ReadonlySet<string> = new Set(['trace', 'debug', 'info', 'warn', 'error']);
const levelOf = (value: unknown): LogLevel => (levels.has(textOf(value) ?? '') ? (value as LogLevel) : 'info');
