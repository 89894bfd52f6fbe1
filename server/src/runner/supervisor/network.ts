import { readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf, signalProcess } from '../identity.ts';
import { RunnerError } from '../runner-error.ts';
import {
  freeRange,
  type Isolation,
  type Range,
  readHostResolver,
  resolverFor,
  slirpArgv,
  slirpEnvironment,
} from '../slirp.ts';
import { type Detached, type Exit, type Pipe, spawnDetached } from '../spawn.ts';
import { awaitStatus } from './status.ts';

/** The network of one command: a namespace of its own whose traffic slirp4netns carries. */
export type Network = {
  /** When nothing is carried any more: with the last process of the namespace, or because slirp4netns failed. */
  ended: Promise<Exit>;
  /** To be called after the command: sees to it that nothing is left. */
  close(): Promise<void>;
};

export type NetworkRequest = {
  isolation: Isolation;
  /** The bwrap that waits for its resolver file. */
  sandbox: Pick<Detached, 'exited'>;
  /** The file bwrap writes its status to. */
  status: string;
  /**
   * Our end of the first descriptor bwrap reads, which it closes then. slirp4netns brings the loopback interface up, which
   * gives it its address; bwrap, when it has not done so itself by then, fails.
   */
  first: Pipe;
  /**
   * Our end of the resolver file's descriptor. bwrap goes on only when it has read it to its end; until then its child
   * still is in the user namespace that owns the network, which it leaves for good before anything of a module runs.
   */
  resolver: Pipe;
  /**
   * Our end of a socket whose other end every process of the sandbox inherits and nobody else has. slirp4netns gets it:
   * it is hung up when the last of them ends, whoever of us lives then.
   */
  leash: Pipe;
};

const readyMs = 30_000;
/** The kernel hangs up at once; only a loaded machine needs longer. */
const endMs = 5_000;

/**
 * Gives a sandbox that was started with a network namespace of its own an interface, a route and a name server, and lets
 * it go on. Throws `program_failed` with a sentence when that fails; then the sandbox must be given up, because it never
 * gets any other network.
 */
export async function openNetwork(request: NetworkRequest): Promise<Network> {
  const { isolation, first, resolver, leash } = request;
  try {
    const isBegun = closed(first);
    const pid = await findNamespace(request);
    await isBegun;
    const range = freeRange(networkInterfaces());
    const slirp = await startSlirp(isolation, { pid, range, leash });
    resolver.end(resolverFor(range, readHostResolver()));
    return slirp;
  } finally {
    leash.destroy();
    resolver.end();
  }
}

function closed(pipe: Pipe): Promise<void> {
  return new Promise((resolve) => {
    if (pipe.destroyed) resolve();
    pipe.once('close', () => resolve());
    pipe.resume();
  });
}

/** The process that waits in the new namespace; never one whose network is ours. */
async function findNamespace({ status, sandbox }: NetworkRequest): Promise<number> {
  const { childPid } = await awaitStatus(status, (seen) => seen.childPid !== undefined, sandbox.exited);
  try {
    if (childPid !== undefined && networkOf(String(childPid)) !== networkOf('self')) return childPid;
  } catch {
    // It is gone, or not ours to look at.
  }
  throw failure('the sandbox has no network namespace that can be entered');
}

const networkOf = (process: string): string => readlinkSync(`/proc/${process}/ns/net`);

type Target = { pid: number; range: Range; leash: Pipe };

async function startSlirp(isolation: Isolation, { pid, range, leash }: Target): Promise<Network> {
  const slirp = await spawnDetached({
    file: isolation.program,
    argv: slirpArgv({ pid, range, hardening: isolation.hardening, fds: { ready: 3, leash: 4 } }),
    env: slirpEnvironment(),
    // It outlives us with an apply, and must not hold the folder it was started from.
    cwd: '/',
    // What it prints is provoked by packets of the module, so it is kept nowhere.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', leash],
  });
  const identity = identityOf(slirp.pid);
  const kill = async (): Promise<void> => {
    if (identity !== undefined) signalProcess(identity, 'SIGKILL');
    await slirp.exited;
  };
  const ready = slirp.pipes[3] as Pipe;
  const timeIsOver = new AbortController();
  try {
    const verdict = await Promise.race([
      firstByte(ready).then((byte) => (byte === '1' ? 'ready' : slirp.exited.then(describeExit))),
      delay(readyMs, `it was not ready after ${readyMs / 1000} seconds`, { signal: timeIsOver.signal }),
    ]);
    if (verdict !== 'ready') throw failure(verdict);
    slirp.unref();
    return { ended: slirp.exited, close: async () => void ((await endsInTime(slirp)) || (await kill())) };
  } catch (error) {
    await kill();
    throw error;
  } finally {
    timeIsOver.abort();
    ready.destroy();
  }
}

/** The first byte that comes, '' when none does. */
const firstByte = (pipe: Pipe): Promise<string> =>
  new Promise((resolve) => {
    pipe.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 0, 1)));
    pipe.once('close', () => resolve(''));
  });

const describeExit = ({ code, signal }: Exit): string => `it ended with ${signal ?? `exit code ${code}`}`;

async function endsInTime({ exited }: Detached): Promise<boolean> {
  const isEnded = new AbortController();
  const late = delay(endMs, false, { signal: isEnded.signal }).catch(() => false);
  const isOver = await Promise.race([exited.then(() => true), late]);
  isEnded.abort();
  return isOver;
}

const failure = (reason: string): RunnerError =>
  new RunnerError(
    'program_failed',
    `The network of this command could not be set up with slirp4netns: ${reason}. Nothing was run; look after slirp4netns, or remove it and start the server again to share the network of this machine.`,
  );
