import type { Command } from '../../os/environment.ts';
import type { Network } from '../../os/network.ts';
import { RunnerError } from '../../os/runner-error.ts';
import type { Detached } from '../../os/spawn.ts';
import type { Phase } from '../../runner/contract/execution-spec.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { RunFailure } from '../run-failure.ts';

/** Isolated network that the commands of one Run use in sequence. */
export type RunNetwork = {
  /** Returns the network for one command. Throws `RunFailure` when it is not available; the network of the host never replaces it. */
  use(command: Command): Promise<Network>;
  /** Reports when the network ends before a command that uses it. */
  reportLoss(command: Command, child: Pick<Detached, 'exited'>, report: Pick<Reporter, 'say'>): void;
  /** Closes the network after its last command. Resolves when nothing of it is left. */
  close(): Promise<void>;
};

/** Creates the network of a Run from one that is opened while its folder is prepared. */
export function startNetwork(opened: Promise<Network>): RunNetwork {
  // The error is reported when a command needs the network.
  opened.catch(() => {});
  let closed: Promise<void> | undefined;
  return {
    async use(command) {
      const network = await opened.catch((error: unknown) => {
        if (!(error instanceof RunnerError)) throw error;
        throw new RunFailure('tool_unavailable', phaseOf(command), error.message);
      });
      if (!network.isOver()) return network;
      throw new RunFailure('tool_unavailable', phaseOf(command), gone);
    },
    reportLoss(command, child, report) {
      let isOver = false;
      void child.exited.then(() => (isOver = true));
      const warn = (): void => {
        if (!isOver) report.say(phaseOf(command), 'warn', lost);
      };
      // Both usually end at nearly the same time, and either event may arrive first.
      void opened.then(({ ended }) => ended).then(() => setTimeout(warn, lossMs).unref());
    },
    close() {
      closed ??= opened.then(
        (network) => network.close(),
        () => {},
      );
      return closed;
    },
  };
}

/** Closes the network after the last command that needs it, while the Run continues. */
export function disconnect({ network, cleanups }: { network?: RunNetwork; cleanups: Promise<void>[] }): void {
  if (network !== undefined) cleanups.push(network.close());
}

const lossMs = 3_000;
const lost = 'slirp4netns ended before the tool, which has had no network since.';
const gone =
  'The network of this Run ended before the command that needs it: slirp4netns or its sandbox was ended. Nothing was run; start the Run again.';

function phaseOf(command: Command): Phase {
  if (command === 'init' || command === 'get') return 'init';
  return command === 'apply' ? 'apply' : 'plan';
}
