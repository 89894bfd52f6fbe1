import { pino } from 'pino';
import { visibleLine } from '#shared/visible-text';

export type Log = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

/**
 * Creates a log of JSON lines: on stderr, because stdout belongs to the command line, or in a file when stderr is not
 * read. A file is opened and written at once, because the process may end before the next turn of its event loop.
 */
export const createLog = (level: 'info' | 'warn' | 'error' | 'silent' = 'info', file?: string): Log =>
  pino({ level, base: null }, pino.destination(file === undefined ? 2 : { dest: file, sync: true }));

/** Writes warnings and errors as lines for a person at a terminal. */
export function createConsoleLog(write: (line: string) => void = (line) => void process.stderr.write(line)): Log {
  const writeLine = (level: string) => (fields: object, text: string) => write(`${level}: ${readable(fields, text)}\n`);
  return { info: () => undefined, warn: writeLine('warning'), error: writeLine('error') };
}

function readable(fields: object, text: string): string {
  const { err, ...rest } = fields as { err?: { message?: string; stack?: string } };
  const parts = Object.entries(rest).map(
    ([name, value]) =>
      `${name}: ${oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)))}`,
  );
  const context = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  // The stack begins with the message.
  const cause = err?.message === undefined || err.stack?.includes(err.message) ? '' : ` ${oneLine(err.message)}`;
  const stack = err?.stack === undefined ? '' : `\n${err.stack.split('\n').map(visibleLine).join('\n')}`;
  return `${oneLine(text)}${context}${cause}${stack}`;
}

const oneLine = (text: string): string => visibleLine(text).replaceAll('\n', '\\u{a}');

/** Returns the loggable parts of an unexpected error: its kind and stack, which hold no submitted value. */
export const faultFields = (error: unknown): object =>
  error instanceof Error
    ? { err: { name: error.name, message: error.message, stack: error.stack } }
    : { err: { name: 'unknown' } };
