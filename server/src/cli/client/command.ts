import { CommandError, exitCodes } from '../exit-codes.ts';
import type { OptionValues, ParsedCommand } from '../options.ts';
import { explain } from './line.ts';
import { enterServer, type Server } from './server.ts';
import { findServerLocation } from './server-location.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Context of a command. */
export type TerminalWork = {
  /** Command as it was typed, for example `groundctl backup restore`. */
  command: string;
  terminal: Terminal;
  options: OptionValues;
  args: readonly string[];
  /** Aborts on Ctrl-C, and when standard output of a list is closed. */
  signal: AbortSignal;
  /** Message that Ctrl-C prints: what the command leaves behind. */
  leaves: { message: string };
};
/** Context of a command that talks to a server. */
export type Work = TerminalWork & { server: Server };

/** `stops`: the command ends when its output is closed, because it only prints. */
type Kind = { whenUnread: 'stops' | 'goesOn' };

class Unread extends Error {}

/** Creates a command that talks to a server: it finds the server, signs in, runs, and reports errors as text or JSON. */
export const atServer = (kind: Kind, work: (work: Work) => Promise<number>) =>
  atTerminal(kind, (input) => enterAndWork(input, work));

/** Creates a command that ends on Ctrl-C, and reports errors as text or JSON. */
export const atTerminal =
  ({ whenUnread }: Kind, work: (work: TerminalWork) => Promise<number>) =>
  async ({ name, options, args }: ParsedCommand): Promise<number> => {
    const stop = new AbortController();
    const leaves = { message: 'Nothing was changed.' };
    const terminal = openTerminal(options.json === true, () => {
      if (whenUnread === 'stops') stop.abort(new Unread());
    });
    const onInterrupt = () =>
      stop.abort(new CommandError(leaves.message, { exitCode: exitCodes.interrupted, code: 'interrupted' }));
    process.once('SIGINT', onInterrupt);
    try {
      return await work({ command: `groundctl ${name}`, terminal, options, args, signal: stop.signal, leaves });
    } catch (error) {
      if (stop.signal.reason instanceof Unread) return exitCodes.done;
      return reportError(stop.signal.aborted ? stop.signal.reason : error, terminal);
    } finally {
      process.off('SIGINT', onInterrupt);
      terminal.close();
    }
  };

async function enterAndWork(workInput: TerminalWork, work: (work: Work) => Promise<number>): Promise<number> {
  const { options, signal } = workInput;
  const location = findServerLocation({ dataDir: options['data-dir'], url: options.url });
  let server: Server | undefined;
  try {
    server = await enterServer(location, signal);
    return await work({ ...workInput, server });
  } catch (error) {
    throw signal.aborted ? error : explain(error, location);
  } finally {
    await server?.leave();
  }
}

function reportError(error: unknown, terminal: Terminal): number {
  if (!(error instanceof CommandError)) throw error;
  const { exitCode, code, message } = error;
  if (terminal.isJson) terminal.document({ error: { code, message } });
  terminal.note(message);
  return exitCode;
}
