import type { Command } from '../environment.ts';
import type { Isolation, Phase } from '../job.ts';
import { RunnerError } from '../runner-error.ts';
import type { Detached, Pipe } from '../spawn.ts';
import { GroupRefused, refusedExit } from './enter-group.ts';
import type { Layout } from './layout.ts';
import { type Network, openNetwork } from './network.ts';
import type { Reporter } from './reporter.ts';
import { RunFailure } from './run-failure.ts';

type Context = { layout: Pick<Layout, 'status'>; report: Pick<Reporter, 'say'> };
type Unconnected = {
  child: Detached;
  isolation: Isolation;
  first: Pipe;
  resolver: Pipe;
  leash: Pipe;
  /** Where the shell in the tool's place waits for its `go`. */
  gate: Pipe;
};

/** bwrap ends with this and the number of the signal that ended its child. */
const killedExit = 128;
const noNetwork: Network = { ended: Promise.resolve({ code: 0, signal: null }), close: async () => {} };

/**
 * Gives a sandbox that was started for one command its network before anything may run in it. Without one the command
 * ends here with a `RunFailure`: the network of the host is never put in its place. Throws `GroupRefused` when it never began.
 */
export async function connect(
  { layout, report }: Context,
  command: Command,
  { child, gate, ...given }: Unconnected,
): Promise<Network> {
  const phase = phaseOf(command);
  try {
    const network = await openNetwork({ ...given, sandbox: child, status: layout.status });
    tellOfLoss(network, child, () =>
      report.say(phase, 'warn', 'slirp4netns ended before the tool, which has had no network since.'),
    );
    return network;
  } catch (error) {
    gate.end();
    const { code, signal } = await child.exited;
    if (code === refusedExit) throw new GroupRefused();
    // Somebody killed it meanwhile, which its end tells.
    if (signal !== null || (code ?? 0) > killedExit) return noNetwork;
    if (!(error instanceof RunnerError)) throw error;
    throw new RunFailure('tool_unavailable', phase, error.message);
  }
}

function phaseOf(command: Command): Phase {
  if (command === 'init' || command === 'get') return 'init';
  return command === 'apply' ? 'apply' : 'plan';
}

/** Both end at nearly the same time in the usual case, and either may be heard of first. */
const lossMs = 3_000;

function tellOfLoss(network: Network, child: Detached, tell: () => void): void {
  let isOver = false;
  void child.exited.then(() => {
    isOver = true;
  });
  void network.ended.then(() => setTimeout(() => isOver || tell(), lossMs).unref());
}
