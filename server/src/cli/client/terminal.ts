import { terminalStyle, visibleText } from '#shared/visible-text';
import { readPassphrase } from '../read-passphrase.ts';

/** Output of a command. In JSON mode standard output holds only documents, and text for a person goes to standard error. */
export type Terminal = {
  /** Prints a line for a person. */
  say(line: string): void;
  /** Prints progress to standard error. */
  note(line: string): void;
  /** Prints one JSON document on its own line; nothing in text mode. */
  document(value: unknown): void;
  readonly isJson: boolean;
  /** True when a person can be asked. */
  readonly isInteractive: boolean;
  readonly paint: Paint;
  /** Asks a question; undefined without an answer. */
  prompt(question: string, signal: AbortSignal): Promise<string | undefined>;
  promptHidden(question: string): Promise<string>;
  /** Reads all of standard input, when it is not a terminal. */
  readInput(): Promise<string>;
  /** True when standard output is closed, as by `| head`. */
  isClosed(): boolean;
};

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Adds colors when the output is a terminal and NO_COLOR is not set (no-color.org). */
export const createPaint =
  (isColoured: boolean): Paint =>
  (tone, text) =>
    isColoured ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text;

export const isColoured = (isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** Formats a line of a program: keeps its colors on a color terminal and removes all other control sequences. */
export function programLine(paint: Paint, line: string): string {
  if (paint('dim', '') === '') return visibleText(line.replace(terminalStyle, ''));
  const styles = line.match(terminalStyle) ?? [];
  const pieces = line.split(terminalStyle).map(visibleText);
  const styled = pieces.map((piece, index) => piece + (styles[index] ?? '')).join('');
  return styles.length > 0 ? `${styled}\u001b[0m` : styled;
}

/** Opens the terminal of this process. Calls `onClosed` once when standard output is closed. */
export function openTerminal(isJson: boolean, onClosed: () => void): Terminal & { close: () => void } {
  const { stdin, stdout, stderr } = process;
  let isClosed = false;
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!isClosed) onClosed();
    isClosed = true;
  };
  const ignore = () => undefined;
  stdout.on('error', onError);
  stderr.on('error', ignore);
  const line = (text: string) => `${text}\n`;
  const toOut = (text: string) => void (isClosed || stdout.write(line(text)));
  const toErr = (text: string) => void stderr.write(line(text));
  return {
    say: isJson ? toErr : toOut,
    note: toErr,
    document: (value) => toOut(JSON.stringify(value)),
    isJson,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    paint: createPaint(isColoured((isJson ? stderr : stdout).isTTY === true, process.env)),
    prompt,
    promptHidden: readPassphrase,
    readInput,
    isClosed: () => isClosed,
    close: () => {
      stdout.off('error', onError);
      // A pending write may find the pipe closed after the command has ended.
      stdout.on('error', ignore);
    },
  };
}

async function prompt(question: string, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // At the end of the input the question gets no answer, and its promise would never settle.
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  // The line editor intercepts Ctrl-C; pass it on to the process.
  lines.once('SIGINT', () => process.emit('SIGINT', 'SIGINT') || process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question(question, { signal: AbortSignal.any([signal, ended.signal]) });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    return undefined;
  } finally {
    lines.close();
  }
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
