import type { ClientHttp2Session } from 'node:http2';
import path from 'node:path';
import { connectProvider, type PluginProtocol, parseHandshake } from '#server/drivers/tofu/index';
import type { Traces } from '../../os/leftover-processes.ts';
import { isAlive, type ProcessIdentity } from '../../os/process-identity.ts';
import { sandboxPaths } from '../../os/sandbox.ts';
import { atSocket } from '../../os/socket-file.ts';
import { noteProvider } from '../../runner/contract/owner.ts';
import type { Bounds } from '../launch-context.ts';
import type { SupervisedRun } from '../run.ts';
import type { InstalledProvider } from '../schema/installed-providers.ts';
import { type LaunchedProvider, launchProvider } from './launch-provider.ts';
import { ProviderFault, type ProviderOutput, readOutput } from './provider-output.ts';

/** One process of a provider beside the tool. */
export type ProviderProcess = {
  /** Rejects when the process does not start; the log gives the reason. */
  session: Promise<ClientHttp2Session>;
  /** Ends it; resolves when nothing of it is left. */
  end(): Promise<void>;
};

/** Provider to start, with the protocol that its schema was read with. */
type ProviderToStart = { provider: InstalledProvider; protocol: PluginProtocol };

/** Starts a process of a provider in a sandbox of its own. */
export function startProvider(
  run: SupervisedRun,
  { provider, protocol }: ProviderToStart,
  bounds: Bounds,
): ProviderProcess {
  let isEnded = false;
  const launching = launchProvider(run, provider, bounds);
  const end = async (): Promise<void> => {
    isEnded = true;
    const launched = await launching.catch(() => undefined);
    launched?.kill();
    await launched?.exited;
  };
  const start = async (): Promise<ClientHttp2Session> => {
    let output: ProviderOutput | undefined;
    try {
      const launched = await launching;
      output = readOutput(launched);
      const identity = await launched.identity;
      noteProvider(run.spec, tracesOf(identity, launched));
      await launched.ready;
      if (isEnded) throw new ProviderFault('it is no longer needed');
      launched.go();
      const session = await connect(identity, await output.firstLine, protocol);
      session.once('close', () => {
        if (!isEnded) report(run, `The provider ${provider.address} ended while it was used.`, output?.tail());
      });
      return session;
    } catch (error) {
      if (!isEnded) report(run, `The provider ${provider.address} did not start: ${reasonOf(error)}.`, output?.tail());
      throw error;
    }
  };
  const session = start();
  session.catch(() => void end());
  return { session, end };
}

const tracesOf = (identity: ProcessIdentity, { leader }: LaunchedProvider): Traces => ({
  command: 'provider',
  identity,
  leader,
  mark: undefined,
  groups: [],
  folder: undefined,
});

const reasonOf = (error: unknown): string =>
  error instanceof ProviderFault ? error.message : 'its sandbox could not be set up';

function report(run: SupervisedRun, fact: string, printed = ''): void {
  run.report.say('plan', 'error', fact);
  if (printed !== '') run.report.say('plan', 'error', printed);
}

/** Connects to the address that the provider printed, which must be a socket in its TMPDIR. */
async function connect(identity: ProcessIdentity, line: string, protocol: PluginProtocol): Promise<ClientHttp2Session> {
  const handshake = parseHandshake(line);
  if (
    handshake === undefined ||
    handshake.protocol !== protocol ||
    path.posix.dirname(handshake.socket) !== sandboxPaths.tmp
  )
    throw new ProviderFault('it did not print its address as a provider does');
  // TMPDIR is a mount of the sandbox, so only the last name can be a link.
  const file = `/proc/${identity.pid}/root${sandboxPaths.tmp}/${path.posix.basename(handshake.socket)}`;
  const session = await atSocket(file, openSession).catch(() => undefined);
  // The process could have been another one with the same pid.
  if (session !== undefined && isAlive(identity)) return session;
  session?.destroy();
  throw new ProviderFault('nothing answers at the address that it printed');
}

async function openSession(file: string): Promise<ClientHttp2Session> {
  const session = await connectProvider(file);
  return new Promise((resolve, reject) => {
    session.once('connect', () => resolve(session));
    session.once('close', () => reject(new Error('The connection was closed.')));
  });
}
