import { allowancesOf, type Exceeded } from '../../os/allowances.ts';
import type { ControlGroup } from '../../os/cgroup.ts';
import type { LaunchContext } from '../launch-context.ts';
import { watchDisk } from './disk-watch.ts';

type AllowanceWatch = {
  /** Checks once more and stops. Returns all exceeded limits, in the order in which they were detected. */
  finish(): Promise<readonly Exceeded[]>;
};

/**
 * Interval of the checks. Reading two small files and querying a file system takes some ten microseconds; no event
 * reports either on every system.
 */
const checkMs = 500;

/**
 * Watches the resource usage of a command from its start to its end. The kernel enforces memory and process limits;
 * here they are only detected. `onExceeded` is called once for each limit.
 */
export function watchAllowances(
  { spec, layout }: Pick<LaunchContext, 'spec' | 'layout'>,
  group: ControlGroup | undefined,
  onExceeded: (exceeded: Exceeded) => void,
): AllowanceWatch {
  const { diskBytes, reserveBytes } = allowancesOf(spec);
  const memory = layout.memory === undefined ? [] : [layout.memory];
  const disk = watchDisk({ folders: [spec.capsuleDir, spec.runDir, ...memory], diskBytes, reserveBytes });
  const reported = new Set<Exceeded>();
  const add = (exceeded: Exceeded | undefined): void => {
    if (exceeded === undefined || reported.has(exceeded)) return;
    reported.add(exceeded);
    onExceeded(exceeded);
  };
  const checkGroup = (): void => {
    const hits = group?.hits();
    if (hits !== undefined && hits.memory > 0) add('memory');
    if (hits !== undefined && hits.processes > 0) add('processes');
  };
  let isOver = false;
  let looking = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const scheduleCheck = (): void => {
    timer = setTimeout(() => {
      checkGroup();
      looking = disk
        .check()
        .then(add, () => {})
        .then(() => (isOver ? undefined : scheduleCheck()));
    }, checkMs);
  };
  scheduleCheck();
  return {
    async finish() {
      isOver = true;
      clearTimeout(timer);
      await looking;
      checkGroup();
      await disk.checkFinal().then(add, () => {});
      return [...reported];
    },
  };
}
