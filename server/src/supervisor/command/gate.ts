import type { Detached, Exit, Pipe } from '../../os/spawn.ts';
import type { Bounds } from '../launch-context.ts';

export type Launched = {
  pid: number;
  exited: Promise<Exit>;
  /**
   * Resolves when a shell waits in place of the tool, its process is known from the status file, and bwrap and the
   * shell are bound to the life of their parents; or when the command has ended before. An earlier `go` could outlive
   * its sender.
   */
  ready: Promise<void>;
  /** Lets the waiting shell become the tool. If this process ends before, the shell ends too and nothing has run. */
  go(): void;
  /** Ends the shell without starting the tool. */
  giveUp(): void;
  /** Removes the files of the command after its end. */
  clear(): Promise<void>;
};

/** Exit code of a shell that never became the tool. */
export const neverStarted = 125;

// When memory runs out, the kernel kills the tool before the server.
const becomeTool = 'ulimit -c 0; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@" </dev/null';

/** Descriptors on which the shell reports that it waits and receives its `go`; the tool does not inherit them. */
export const gateIn = { sandbox: 9, bare: 3 } as const;

/**
 * Returns the script of the shell in place of the tool. bwrap and its child bind themselves to the lives of their
 * parents some milliseconds after their start, and a process bound to a parent that is already dead would never end. So
 * the shell reports when both are bound, and receives nothing before: if this process ends first, the shell reads the
 * end of the pipe and has run nothing.
 */
export function gate(descriptor: number, { processes, dataBytes }: Bounds): string {
  return [
    `echo ready >&${descriptor}; read -r go <&${descriptor} || exit ${neverStarted}; exec ${descriptor}>&-;`,
    ...(processes === undefined ? [] : [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null;`]),
    ...(dataBytes === undefined ? [] : [`ulimit -d ${Math.floor(dataBytes / 1024)} 2>/dev/null;`]),
    becomeTool,
  ].join(' ');
}

/** Without bwrap a separate shell records the exit code, because this process may have ended by then. */
export const bareGate = (bounds: Bounds): string =>
  `sh -c 'printf "{\\"child-pid\\": %d}\\n" $$ >>"$0"; ${gate(gateIn.bare, bounds)}' "$0" "$@"
code=$?; printf '{"exit-code": %d}\\n' $code >>"$0"; exit $code`;

/** Creates a command whose shell waits at the other end of a descriptor. */
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
