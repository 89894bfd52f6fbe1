import { pino } from 'pino';

export type Log = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

/** Structured lines on stderr, because stdout belongs to the command line; or in a file, where nobody reads stderr. */
export const createLog = (level: 'info' | 'warn' | 'error' | 'silent' = 'info', file?: string): Log =>
  pino({ level, base: null }, pino.destination(file ?? 2));

/** What may be said about an unexpected error: its kind and stack, which hold no submitted value. */
export const faultFields = (error: unknown): object =>
  error instanceof Error
    ? { err: { name: error.name, message: error.message, stack: error.stack } }
    : { err: { name: 'unknown' } };
