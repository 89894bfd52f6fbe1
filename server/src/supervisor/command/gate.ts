import type { Detached, Exit, Pipe } from '../../os/spawn.ts';
import type { Bounds } from '../launch-context.ts';

export type Launched = {
  pid: number;
  exited: Promise<Exit>;
  /**
   * A shell waits in the tool's place, its process is known from the status file, and bwrap and it are bound to the life
   * of their parents; or the command has ended before. A `go` that is given earlier could outlive whoever gave it.
   */
  ready: Promise<void>;
  /** Until this is called a shell waits in the tool's place; when we end before, it ends too and nothing has run. */
  go(): void;
  /** The tool is not wanted any more: the shell ends without becoming it. */
  giveUp(): void;
  /** Takes back what was laid out for the command, after its end. */
  clear(): Promise<void>;
};

/** The exit code of the shell that never became the tool. */
export const neverStarted = 125;

// When memory runs out the kernel takes the tool before the server.
const becomeTool = 'ulimit -c 0; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@" </dev/null';

/** Where the shell in the tool's place says that it is there and hears that it may go on; the tool never has it. */
export const gateIn = { sandbox: 9, bare: 3 } as const;

/**
 * The shell in the tool's place. bwrap and its child bind themselves to the lives of their parents some milliseconds after
 * they were started, and whoever was bound to a parent that was dead by then would never end. So the shell tells when
 * both are done, and is given nothing before: if we end meanwhile, it reads the end of the pipe and has run nothing.
 */
export function gate(descriptor: number, { processes, dataBytes }: Bounds): string {
  return [
    `echo ready >&${descriptor}; read -r go <&${descriptor} || exit ${neverStarted}; exec ${descriptor}>&-;`,
    ...(processes === undefined ? [] : [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null;`]),
    ...(dataBytes === undefined ? [] : [`ulimit -d ${Math.floor(dataBytes / 1024)} 2>/dev/null;`]),
    becomeTool,
  ].join(' ');
}

/** Without bwrap a shell of its own reports the exit code, because we may be gone by then. */
export const bareGate = (bounds: Bounds): string =>
  `sh -c 'printf "{\\"child-pid\\": %d}\\n" $$ >>"$0"; ${gate(gateIn.bare, bounds)}' "$0" "$@"
code=$?; printf '{"exit-code": %d}\\n' $code >>"$0"; exit $code`;

/** A command whose shell waits at the other end of a descriptor. */
export function launched(child: Detached, descriptor: number, clear: () => Promise<void>): Launched {
  const gatePipe = child.pipes[descriptor] as Pipe;
  const gateReady = new Promise<void>((resolve) => gatePipe.once('data', () => resolve()));
  return {
    pid: child.pid,
    exited: child.exited,
    ready: Promise.race([gateReady, child.exited.then(() => {})]),
    go: () => gatePipe.end('go\n'),
    giveUp: () => gatePipe.end(),
    clear,
  };
}
