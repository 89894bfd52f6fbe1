import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Environment } from './environment.ts';
import { RunnerError } from './runner-error.ts';

/** Exit of a program: its exit code, or the signal that ended it. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

type Captured = Exit & {
  stdout: string;
  stderr: string;
  /** True when the program was killed because its time was over. */
  timedOut: boolean;
};

type CaptureOptions = {
  file: string;
  argv: readonly string[];
  env: Environment;
  cwd?: string;
  input?: string;
  timeoutMs: number;
  /** Maximum bytes of stdout and of stderr each; further bytes are dropped. */
  maxBytes?: number;
};

/**
 * Runs a short program to its end and captures its output. It is killed when its time is over. Throws `program_failed`
 * when it cannot be started at all.
 */
export function runTool(options: CaptureOptions): Promise<Captured> {
  const maxBytes = options.maxBytes ?? 1_048_576;
  return new Promise((resolve, reject) => {
    const child = spawn(options.file, [...options.argv], {
      env: { ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);
    const stdout = capture(child.stdout, maxBytes);
    const stderr = capture(child.stderr, maxBytes);
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(cannotStart(options.file, cause));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: stdout(), stderr: stderr(), timedOut });
    });
    child.stdin?.on('error', () => {}).end(options.input);
  });
}

function capture(stream: NodeJS.ReadableStream | null, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - size);
    size += part.length;
    chunks.push(part);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** A program and its arguments; another program may be started in its place that becomes it by exec. */
export type Program = { file: string; argv: readonly string[] };

/** Our end of a pipe to a child: both ways, except for descriptor 0, which only the child reads. */
export type Pipe = Socket;

type DetachedOptions = {
  file: string;
  argv: readonly string[];
  env: Environment;
  cwd?: string;
  /**
   * By descriptor number in the child: a descriptor of ours, a pipe to us, our end of a pipe to another child, or
   * nothing.
   */
  stdio: readonly (number | 'pipe' | 'ignore' | Pipe)[];
};

export type Detached = {
  pid: number;
  /** Our ends, by descriptor number in the child; only for `pipe`. */
  pipes: readonly (Pipe | undefined)[];
  exited: Promise<Exit>;
  /** Lets this process end although the child lives. */
  unref(): void;
};

/**
 * Starts a program in its own session, so that it receives neither signals to our group nor our end. Rejects with
 * `program_failed` when it cannot be started.
 */
export async function spawnDetached(options: DetachedOptions): Promise<Detached> {
  const child = spawn(options.file, [...options.argv], {
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: coverInherited(options.stdio),
    detached: true,
  });
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await started(child, options.file);
  const pipes = child.stdio.map((stream) => (stream === null ? undefined : (stream as Pipe)));
  // A child that ends before it has read everything is reported by its exit, not by a broken pipe.
  for (const pipe of pipes) pipe?.on('error', () => {});
  return { pid: child.pid as number, pipes, exited, unref: () => unref(child, pipes) };
}

/** Descriptors that this process inherited and passes on to its children, according to `/proc/self/fdinfo`. */
const inherited = findInherited();

function findInherited(): number[] {
  if (process.platform !== 'linux') return [];
  const closesOnExec = 0o2000000;
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => {
      if (descriptor <= 2) return false;
      try {
        const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
        return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
      } catch {
        // The descriptor of the folder that was read.
        return false;
      }
    });
}

/**
 * Replaces descriptors that a terminal or a service manager left open, so that a module cannot read from them. `ignore`
 * alone would leave them as they are.
 */
function coverInherited(stdio: DetachedOptions['stdio']): DetachedOptions['stdio'][number][] {
  const covered = [...stdio];
  for (const descriptor of inherited) {
    while (covered.length <= descriptor) covered.push('ignore');
    if (covered[descriptor] === 'ignore') covered[descriptor] = nothing();
  }
  return covered;
}

let nothingDescriptor: number | undefined;
const nothing = (): number => (nothingDescriptor ??= openSync('/dev/null', 'r'));

function started(child: ChildProcess, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(cannotStart(file, cause)));
  });
}

function unref(child: ChildProcess, pipes: readonly (Pipe | undefined)[]): void {
  child.unref();
  for (const pipe of pipes) pipe?.unref();
}

/**
 * Returns the standard output of a system program, '' when it fails: for facts that are read once, before anything
 * runs.
 */
export function readProgramOutput(file: string, argv: readonly string[]): string {
  const done = spawnSync(file, [...argv], {
    // A time that a program prints must be the same after a change of the time zone.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC0' },
    timeout: 5_000,
    encoding: 'utf8',
  });
  return done.status === 0 ? done.stdout : '';
}

function cannotStart(file: string, cause: unknown): RunnerError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  return new RunnerError(
    'program_failed',
    `The program ${file} could not be started (${code}); check that it is there and may be executed.`,
    { cause },
  );
}

/** Starts a program with pipes for its input and output; for servers that proxy a program. */
export const spawnPiped = (
  file: string,
  argv: readonly string[],
  options: { env: Record<string, string>; stdio: ['pipe', 'pipe', 'ignore'] },
) => spawn(file, [...argv], options);

type MessageChildOptions = {
  nodePath: string;
  /** Path of the file that Node runs. */
  entry: string;
  env: Environment;
  onMessage: (message: unknown) => void;
  /** Called, possibly twice, when it has ended or could not be started. */
  onEnd: () => void;
};

type MessageChild = {
  /** Sends a structured clone. */
  send(message: unknown): void;
  kill(): void;
  /** Sets whether this keeps the parent process alive. */
  hold(isHeld: boolean): void;
};

/** Starts a Node program to exchange messages with, which ends with this process. */
export function startMessageChild({ nodePath, entry, env, onMessage, onEnd }: MessageChildOptions): MessageChild {
  const child = fork(entry, {
    execPath: nodePath,
    execArgv: [],
    env: { ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('message', onMessage);
  child.on('error', onEnd);
  child.once('exit', onEnd);
  const holders = [child, child.channel];
  return {
    send: (message) => child.send(message as object, () => {}),
    kill: () => child.kill('SIGKILL'),
    hold: (isHeld) => {
      for (const holder of holders) isHeld ? holder?.ref() : holder?.unref();
    },
  };
}
