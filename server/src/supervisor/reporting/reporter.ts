import { StringDecoder } from 'node:string_decoder';
import {
  createStreamParser,
  type Diagnostic,
  type LogLevel,
  type ResourceEvent,
  type StreamEvent,
} from '#server/drivers/tofu/index';
import type { JournalRecord, Phase } from '../../runner/contract/execution-spec.ts';
import type { JournalWriter } from '../../runner/contract/journal.ts';
import type { Redactor } from '../../runner/contract/redaction/redactor.ts';
import { explainRefusedWrite } from '../outside-paths.ts';
import { createLogFilter, type LogFilter } from './line-filter.ts';
import { escapeControls, toLogLines } from './log-line.ts';

/** Receiver of a command's streams. */
export type StreamSink = { stdout(chunk: Buffer): void; stderr(chunk: Buffer): void; end(): void };

type StreamOptions = {
  phase: Phase;
  /** Receives each event before it is redacted; false keeps it out of the journal. */
  onEvent?: (event: StreamEvent) => boolean;
};

/** The only writer of text to the journal: it redacts, truncates and counts everything first. */
export type Reporter = {
  phase(phase: Phase, state: 'started' | 'finished' | 'reused'): void;
  /** Logs a message of the supervisor. */
  say(phase: Phase, level: LogLevel, text: string): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** Reads the `-json` stream and the standard error of one command. */
  listen(options: StreamOptions): StreamSink;
  /** Reads a command other than the tool: both streams are plain lines, and no line is an event. */
  listenLines(phase: Phase): StreamSink;
};

type ReporterOptions = {
  journal: JournalWriter;
  redactor: Redactor;
  /** Maximum bytes of text in the journal; `usedBytes` were written by an earlier supervisor. */
  logBytes: number;
  usedBytes?: number;
  /** True when commands run in a sandbox, which refuses writes outside the Capsule's folder. */
  isSandboxed?: boolean;
  now?: () => number;
};

/** Limit of resource events. They are small and counted separately, because they show what an interrupted apply left unfinished. */
const resourceEventMax = 200_000;

/** Number of errors that are logged beyond the limit, so that a failed Run shows its reason. */
const lateErrorMax = 50;

export function createReporter(options: ReporterOptions): Reporter {
  const { journal, redactor, now = Date.now } = options;
  let remainingBytes = options.logBytes - (options.usedBytes ?? 0);
  let resourceEvents = 0;
  let lateErrors = 0;
  const write = (record: JournalRecord): void => {
    const wasOpen = remainingBytes > 0;
    remainingBytes -= textBytes(record);
    if (remainingBytes > 0) journal.write(record);
    else if (wasOpen) journal.write(truncated(now(), options.logBytes));
    if (remainingBytes > 0 || record.t !== 'diagnostic' || record.severity !== 'error') return;
    lateErrors += 1;
    if (lateErrors <= lateErrorMax) journal.write(record);
  };
  type Entry = Pick<Extract<JournalRecord, { t: 'log' }>, 'phase' | 'stream' | 'level' | 'text'>;
  /** Logs a text that is already redacted. */
  const logClean = (entry: Entry): void => {
    if (remainingBytes <= 0) return;
    for (const text of toLogLines(entry.text)) if (remainingBytes > 0) write({ t: 'log', at: now(), ...entry, text });
  };
  const log = (entry: Entry): void => {
    if (remainingBytes > 0) logClean({ ...entry, text: redactor.text(entry.text) });
  };
  const resource = (phase: Phase, event: ResourceEvent): void => {
    resourceEvents += 1;
    if (resourceEvents > resourceEventMax) return;
    const record = { t: 'resource' as const, at: now(), ...event, address: redactor.address(event.address) };
    // Only the events of an apply are needed after an interruption, and their addresses are those of the plan.
    if (phase === 'apply') journal.write(record);
    else write(record);
  };
  const explain = (event: Diagnostic): Diagnostic =>
    options.isSandboxed === true ? explainRefusedWrite(event) : event;
  const diagnostic = (event: Diagnostic): void =>
    write({ t: 'diagnostic', at: now(), ...redactDiagnostic(event, redactor) });
  const take = (phase: Phase, event: StreamEvent, logFilter: LogFilter): void => {
    if (event.kind === 'log') {
      if (remainingBytes > 0) logFilter.take(event);
    } else if (event.kind === 'diagnostic') diagnostic(explain(withoutKind(event)));
    else if (event.kind === 'resource') {
      if (event.state !== 'started' && event.state !== 'progress') logFilter.end(event.address);
      resource(phase, withoutKind(event));
    }
  };
  return {
    phase: (phase, state) => journal.write({ t: 'phase', at: now(), phase, state }),
    say: (phase, level, text) => log({ phase, stream: 'system', level, text }),
    diagnostic,
    listen({ phase, onEvent }) {
      const logFilter = createLogFilter(redactor, (entry) => logClean({ phase, stream: 'stdout', ...entry }));
      const parser = createStreamParser({
        onEvent: (event) => (onEvent?.(event) ?? true) && take(phase, event, logFilter),
      });
      let isDump = false;
      const errors = lines((text) => {
        // The tool printed a state that it could not save; it is kept out of the log, whatever the stream.
        if (!isDump && text.includes('Emergency state dump')) {
          isDump = true;
          log({ phase, stream: 'system', level: 'warn', text: 'The tool printed its state; it is left out here.' });
        }
        if (!isDump) log({ phase, stream: 'stderr', level: 'warn', text });
      }, redactor);
      return {
        stdout: (chunk) => parser.write(chunk),
        stderr: errors.push,
        end: () => {
          parser.end();
          logFilter.end();
          errors.end();
        },
      };
    },
    listenLines(phase) {
      const out = lines((text) => log({ phase, stream: 'stdout', level: 'info', text }), redactor);
      const errors = lines((text) => log({ phase, stream: 'stderr', level: 'warn', text }), redactor);
      return {
        stdout: out.push,
        stderr: errors.push,
        end: () => {
          out.end();
          errors.end();
        },
      };
    },
  };
}

function withoutKind<T extends { kind: string }>({ kind: _, ...rest }: T): Omit<T, 'kind'> {
  return rest;
}

function textBytes(record: JournalRecord): number {
  if (record.t === 'log') return Math.max(recordMinBytes, Buffer.byteLength(record.text));
  if (record.t === 'resource') return Math.max(recordMinBytes, Buffer.byteLength(record.address));
  return record.t === 'diagnostic' ? Buffer.byteLength(record.message) + Buffer.byteLength(record.detail ?? '') : 0;
}

/** Size that counts for each record: endless empty lines would otherwise fill the disk. */
const recordMinBytes = 64;

const truncated = (at: number, logBytes: number): JournalRecord => ({
  t: 'diagnostic',
  at,
  severity: 'warning',
  code: 'log_truncated',
  message: `The log is longer than ${logBytes} bytes; the rest was left out.`,
});

/** Message and detail can be arbitrarily long; a page shows the beginning. */
const messageMaxLength = 8_192;
const detailMaxLength = 65_536;

/** Redacts all parts of a diagnostic that can contain a secret. */
export function redactDiagnostic(diagnostic: Diagnostic, redactor: Redactor): Diagnostic {
  const { message, detail, address, range, variable } = diagnostic;
  return {
    ...diagnostic,
    message: escapeControls(redactor.text(message).slice(0, messageMaxLength)),
    ...(detail === undefined ? {} : { detail: escapeControls(redactor.text(detail).slice(0, detailMaxLength)) }),
    ...(address === undefined ? {} : { address: redactor.address(address) }),
    // It is parsed from a message, which its author may have built from values.
    ...(variable === undefined ? {} : { variable: redactor.text(variable) }),
    ...(range === undefined ? {} : { range: { ...range, filename: escapeControls(redactor.text(range.filename)) } }),
  };
}

/** Splits lines. Text that is not JSON is redacted as a stream, because a secret can contain line breaks. */
function lines(onLine: (line: string) => void, redactor: Redactor): { push(chunk: Buffer): void; end(): void } {
  const stream = redactor.stream();
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string): void => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() as string;
    for (const part of parts) onLine(part);
    if (rest.length > restMaxLength) {
      onLine(rest);
      rest = '';
    }
  };
  return {
    push: (chunk) => take(decoder.write(stream.push(chunk))),
    end: () => {
      take(decoder.write(stream.end()) + decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}

const restMaxLength = 1_048_576;
