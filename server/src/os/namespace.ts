import { existsSync, readlinkSync } from 'node:fs';
import { RunnerError } from './runner-error.ts';
import { namespaceArgv } from './sandbox.ts';
import { type Exit, type Pipe, type Program, spawnDetached } from './spawn.ts';

/** A network namespace that a waiting shell keeps: empty, with loopback alone, owned by a user namespace of its own. */
export type Namespace = {
  /** The shell, in both namespaces. */
  pid: number;
  /** When the shell has ended, by `close` or because somebody killed it. */
  ended: Promise<Exit>;
  /** True once the shell has ended. */
  isOver(): boolean;
  /** Lets the shell end; what runs in the namespaces by then keeps them. */
  close(): Promise<void>;
};

/** Where nsenter(1) is looked for: fixed places only, because a person's PATH may name folders others can write to. */
export const findNsenter = (): string | undefined =>
  process.platform === 'linux' ? ['/usr/bin/nsenter', '/bin/nsenter'].find((file) => existsSync(file)) : undefined;

/** Its first descriptor of ours is 3: it says its process there and ends when we do, whatever becomes of bwrap. */
const wait = 'echo $$ >&3; read -r end <&3';

/** The name of the shell in lists of processes; our folder follows, by which it is seen whose it is. */
export const shellName = 'groundctl-network';

/** Makes a namespace within some milliseconds. Throws `program_failed` where the kernel does not let us. */
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

/** Never a process whose network is ours. */
function isElsewhere(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
  } catch {
    return false;
  }
}

/** A program as it is started in both namespaces. It keeps its user, and with it no capability unless that is root. */
export const inNamespace = ({ pid }: Pick<Namespace, 'pid'>, { file, argv }: Program): Program => ({
  file: findNsenter() ?? '/usr/bin/nsenter',
  argv: ['--preserve-credentials', '--user', '--net', '--target', String(pid), '--', file, ...argv],
});
