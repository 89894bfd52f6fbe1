import { existsSync, readlinkSync } from 'node:fs';
import { isImplemented } from '#server/kernel/platforms';
import { RunnerError } from './runner-error.ts';
import { namespaceArgv } from './sandbox.ts';
import { type Exit, type Pipe, type Program, spawnDetached } from './spawn.ts';

/** A network namespace that a waiting shell keeps: empty, with only loopback, owned by a user namespace of its own. */
export type Namespace = {
  /** Pid of the shell, which is in both namespaces. */
  pid: number;
  /** Resolves when the shell has ended, by `close` or because it was killed. */
  ended: Promise<Exit>;
  /** True once the shell has ended. */
  isOver(): boolean;
  /** Lets the shell end; programs that still run in the namespaces keep them. */
  close(): Promise<void>;
};

/**
 * Paths at which nsenter(1) is searched: fixed ones only, because a person's PATH may name folders others can write to.
 */
export const findNsenter = (): string | undefined =>
  isImplemented('network') ? ['/usr/bin/nsenter', '/bin/nsenter'].find((file) => existsSync(file)) : undefined;

/**
 * Script of the shell. Descriptor 3 is our pipe: it writes its pid there and ends when we do, even when bwrap is gone.
 */
const wait = 'echo $$ >&3; read -r end <&3';

/** Name of the shell in process lists; our folder follows, which identifies its owner. */
export const shellName = 'groundctl-network';

/** Creates a namespace within some milliseconds. Throws `program_failed` when the kernel does not allow it. */
export async function openNamespace(bwrap: string): Promise<Namespace> {
  const child = await spawnDetached({
    file: bwrap,
    argv: namespaceArgv(['/bin/sh', '-c', wait, shellName, process.cwd()]),
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = child.pipes[3] as Pipe;
  let isOver = false;
  void child.exited.then(() => (isOver = true));
  const close = async (): Promise<void> => {
    pipe.destroy();
    await child.exited;
  };
  const pid = await Promise.race([firstLine(pipe).then(Number), child.exited.then(() => 0)]);
  if (pid > 0 && isElsewhere(pid)) return { pid, ended: child.exited, isOver: () => isOver, close };
  await close();
  throw new RunnerError('program_failed', 'The sandbox has no network namespace that can be entered.');
}

const firstLine = (pipe: Pipe): Promise<string> =>
  new Promise((resolve) => pipe.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1'))));

/** Reports whether a process is in another network namespace than ours. */
function isElsewhere(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
  } catch {
    return false;
  }
}

/** Returns a program that starts in both namespaces. It keeps its user, and has no capability unless that is root. */
export const inNamespace = ({ pid }: Pick<Namespace, 'pid'>, { file, argv }: Program): Program => ({
  file: findNsenter() ?? '/usr/bin/nsenter',
  argv: ['--preserve-credentials', '--user', '--net', '--target', String(pid), '--', file, ...argv],
});
