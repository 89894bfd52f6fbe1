import type { Command } from '../../os/environment.ts';
import type { Network } from '../../os/network.ts';
import { RunnerError } from '../../os/runner-error.ts';
import type { Detached } from '../../os/spawn.ts';
import type { Phase } from '../../runner/contract/job.ts';
import type { Reporter } from '../reporting/reporter.ts';
import { RunFailure } from '../run-failure.ts';

/** The network that the commands of one Run have, one after the other. */
export type RunNetwork = {
  /** For one command, which ends with a `RunFailure` without it: the network of the host is never put in its place. */
  use(command: Command): Promise<Network>;
  /** Tells when the network ends before a command that has it. */
  reportLoss(command: Command, child: Pick<Detached, 'exited'>, report: Pick<Reporter, 'say'>): void;
  /** No command wants it any more. Resolves when nothing of it is left. */
  close(): Promise<void>;
};

/** The network of a Run from one that is being opened while its folder is laid out. */
export function startNetwork(opened: Promise<Network>): RunNetwork {
  // Until a command asks for it its failure is nobody's.
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
      // Both end at nearly the same time in the usual case, and either may be heard of first.
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

/** For a Run whose commands that need a network are over; it ends while the Run goes on. */
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
