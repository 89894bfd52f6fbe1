import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { inNamespace, type Namespace } from './namespace.ts';
import { identityOf, signalProcess } from './process-identity.ts';
import { RunnerError } from './runner-error.ts';
import {
  freeRange,
  type Isolation,
  type Range,
  readHostResolver,
  resolverFor,
  slirpArgv,
  slirpEnvironment,
} from './slirp.ts';
import { type Detached, type Exit, type Pipe, type Program, spawnDetached } from './spawn.ts';

/**
 * A network that leads to the outside but not to the loopback of the host: a namespace whose traffic slirp4netns
 * carries.
 */
export type Network = {
  /** Returns the program that starts in the network; it does not start at all when the network is gone. */
  enter(program: Program): Program;
  /** Returns the content of the resolver file that currently applies there. */
  resolver(): string;
  /** Reports whether the addresses are still unused: false once the host has joined a network with the same ones. */
  isCurrent(): boolean;
  /**
   * Pipe that every process of a sandbox inherits: the network lasts while any process holds it, and then slirp4netns
   * ends, even when the server or supervisor has ended.
   */
  leash: Pipe;
  /** Resolves when traffic is no longer carried: every holder of the leash has ended, or slirp4netns failed. */
  ended: Promise<Exit>;
  /** True once slirp4netns or the shell of the namespace has ended. */
  isOver(): boolean;
  /** Ends the network and its processes; call it after the last command. */
  close(): Promise<void>;
};

const readyMs = 30_000;
/** The kernel hangs up at once; only a loaded machine needs longer. */
const endMs = 5_000;

/**
 * Gives a namespace an interface, a route and a name server. Throws `program_failed` with a sentence when that fails;
 * the namespace is then closed, because nothing may run in it.
 */
export async function openNetwork(isolation: Isolation, namespace: Namespace): Promise<Network> {
  try {
    return await carry(isolation, namespace);
  } catch (error) {
    await namespace.close();
    throw error;
  }
}

async function carry(isolation: Isolation, namespace: Namespace): Promise<Network> {
  const range = freeRange(networkInterfaces());
  const slirp = await startSlirp(isolation, namespace.pid, range);
  let isOver = false;
  for (const end of [slirp.exited, namespace.ended]) void end.then(() => (isOver = true));
  const leash = slirp.pipes[fds.leash] as Pipe;
  return {
    enter: (program) => inNamespace(namespace, program),
    resolver: () => resolverFor(range, readHostResolver()),
    isCurrent: () => freeRange(networkInterfaces()).cidr === range.cidr,
    leash,
    ended: slirp.exited,
    isOver: () => isOver,
    async close() {
      leash.destroy();
      await Promise.all([namespace.close(), endsInTime(slirp)]);
    },
  };
}

const fds = { ready: 3, leash: 4 } as const;

async function startSlirp(isolation: Isolation, pid: number, range: Range): Promise<Detached> {
  const slirp = await spawnDetached({
    file: isolation.program,
    argv: slirpArgv({ pid, range, hardening: isolation.hardening, fds }),
    env: slirpEnvironment(),
    // It outlives us during an apply, and must not keep the folder it was started from in use.
    cwd: '/',
    // Packets of the module can provoke its output, so the output is not stored.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ready = slirp.pipes[fds.ready] as Pipe;
  const timeIsOver = new AbortController();
  try {
    const verdict = await Promise.race([
      firstByte(ready).then((byte) => (byte === '1' ? 'ready' : slirp.exited.then(describeExit))),
      delay(readyMs, `it was not ready after ${readyMs / 1000} seconds`, { signal: timeIsOver.signal }),
    ]);
    if (verdict !== 'ready') throw failure(verdict);
    slirp.unref();
    return slirp;
  } catch (error) {
    await kill(slirp);
    throw error;
  } finally {
    timeIsOver.abort();
    ready.destroy();
  }
}

async function kill(slirp: Detached): Promise<void> {
  const identity = identityOf(slirp.pid);
  if (identity !== undefined) signalProcess(identity, 'SIGKILL');
  await slirp.exited;
}

/** Resolves with the first byte, '' when there is none. */
const firstByte = (pipe: Pipe): Promise<string> =>
  new Promise((resolve) => {
    pipe.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 0, 1)));
    pipe.once('close', () => resolve(''));
  });

const describeExit = ({ code, signal }: Exit): string => `it ended with ${signal ?? `exit code ${code}`}`;

/** Waits for the end of a slirp4netns whose leash was released, and ends it when it takes too long. */
async function endsInTime(slirp: Detached): Promise<void> {
  const isEnded = new AbortController();
  const late = delay(endMs, false, { signal: isEnded.signal }).catch(() => false);
  const isOver = await Promise.race([slirp.exited.then(() => true), late]);
  isEnded.abort();
  if (!isOver) await kill(slirp);
}

/** Creates the error for a missing network, as a sentence for a person. */
export const failure = (reason: string): RunnerError =>
  new RunnerError(
    'program_failed',
    `The network of this command could not be set up with slirp4netns: ${reason}. Nothing was run. Check slirp4netns, or remove it and start the server again to share the network of this machine.`,
  );
