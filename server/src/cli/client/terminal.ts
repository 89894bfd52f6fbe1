import { terminalStyle, visibleText } from '#shared/visible-text';
import { readPassphrase } from '../read-passphrase.ts';

/** Where a command speaks. In JSON mode standard output holds documents alone, and what is for a person goes beside it. */
export type Terminal = {
  /** A line for a person. */
  say(line: string): void;
  /** How far it is; beside the result. */
  note(line: string): void;
  /** One JSON document as a line of its own; nothing for a person. */
  document(value: unknown): void;
  readonly isJson: boolean;
  /** A person is there to be asked. */
  readonly isInteractive: boolean;
  readonly paint: Paint;
  /** The answer to a question, undefined when there is none. */
  prompt(question: string, signal: AbortSignal): Promise<string | undefined>;
  promptHidden(question: string): Promise<string>;
  /** All of standard input, when that is no terminal. */
  readInput(): Promise<string>;
  /** Whether nobody reads any more, as behind `| head`. */
  isClosed(): boolean;
};

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Colours where somebody sees them, and none when NO_COLOR is set to anything (no-color.org). */
export const createPaint =
  (isColoured: boolean): Paint =>
  (tone, text) =>
    isColoured ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text;

export const isColoured = (isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** A line that a program wrote: its own colours on a coloured terminal, and nothing else that a terminal would obey. */
export function programLine(paint: Paint, line: string): string {
  if (paint('dim', '') === '') return visibleText(line.replace(terminalStyle, ''));
  const styles = line.match(terminalStyle) ?? [];
  const pieces = line.split(terminalStyle).map(visibleText);
  const styled = pieces.map((piece, index) => piece + (styles[index] ?? '')).join('');
  return styles.length > 0 ? `${styled}\u001b[0m` : styled;
}

/** The terminal of this process. `onClosed` is called once when standard output is not read any more. */
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
      // A write that is still under way may find the pipe closed after the command has ended.
      stdout.on('error', ignore);
    },
  };
}

async function prompt(question: string, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input answers nothing, and a promise that waits for it would never settle.
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  // The line editor keeps Ctrl-C to itself; it means here what it means everywhere else.
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
