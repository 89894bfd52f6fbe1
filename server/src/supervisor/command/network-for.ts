import type { Network } from '../../os/network.ts';
import type { LaunchContext, ToolCommand } from '../launch-context.ts';

/** Returns the network of a command; undefined when it needs none, or shares the one of the host because isolation is not available. */
export async function networkFor(
  { spec, network }: LaunchContext,
  command: Pick<ToolCommand, 'name' | 'network'>,
): Promise<Network | undefined> {
  if (!command.network || spec.isolation === undefined) return undefined;
  if (network === undefined) throw new Error('A command needs the network of its Run before that was started.');
  return network.use(command.name);
}
