import { CommandError, exitCodes } from '../exit-codes.ts';
import type { OptionValues, ParsedCommand } from '../options.ts';
import { explain } from './line.ts';
import { enterServer, type Server } from './server.ts';
import { findServerLocation } from './server-location.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** What a command at a server works with. */
export type Work = {
  server: Server;
  terminal: Terminal;
  options: OptionValues;
  args: readonly string[];
  /** Ends with Ctrl-C, and where nobody reads a list any more. */
  signal: AbortSignal;
  /** What Ctrl-C leaves behind, told when it comes. */
  leaves: { message: string };
};

/** `stops`: a reader that went away ends it, because it does nothing but tell. */
type Kind = { whenUnread: 'stops' | 'goesOn' };

class Unread extends Error {}

/** A command that speaks to a server: finds it, comes in, works, and tells what went wrong in words or in JSON. */
export const atServer =
  ({ whenUnread }: Kind, work: (work: Work) => Promise<number>) =>
  async ({ options, args }: ParsedCommand): Promise<number> => {
    const stop = new AbortController();
    const leaves = { message: 'Nothing was changed.' };
    const terminal = openTerminal(options.json === true, () => {
      if (whenUnread === 'stops') stop.abort(new Unread());
    });
    const onInterrupt = () =>
      stop.abort(new CommandError(leaves.message, { exitCode: exitCodes.interrupted, code: 'interrupted' }));
    process.once('SIGINT', onInterrupt);
    try {
      return await enterAndWork({ terminal, options, args, signal: stop.signal, leaves }, work);
    } catch (error) {
      if (stop.signal.reason instanceof Unread) return exitCodes.done;
      return reportError(stop.signal.aborted ? stop.signal.reason : error, terminal);
    } finally {
      process.off('SIGINT', onInterrupt);
      terminal.close();
    }
  };

async function enterAndWork(workInput: Omit<Work, 'server'>, work: (work: Work) => Promise<number>): Promise<number> {
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
