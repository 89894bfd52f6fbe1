import type { ToolIdentity } from '#server/drivers/tofu/index';
import { faultFields } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { createDueChecks, type DueCheckPorts } from './due-checks.ts';
import type { ScheduleScope } from './store.ts';

type Deps = DueCheckPorts & {
  outbox: Pick<Outbox, 'listen'>;
  /** Returns the tool of the machine, if there is one. */
  findTool: () => Promise<ToolIdentity | undefined>;
};

export type DriftSchedule = { start(): void; stop(): Promise<void> };

/** Delay after the ledger rejected a write. */
const pauseMs = 60_000;

/**
 * Checks Capsules for drift on their schedules, a few at once. It has one timer, set to the next due Capsule, and none
 * while no Capsule has a schedule. A check whose Capsule has a Run, or for which no tool is installed, stays due.
 */
export function createDriftSchedule(deps: Deps): DriftSchedule {
  const { log, outbox, findTool } = deps;
  const checks = createDueChecks(deps);
  const changed = new Map<string, ScheduleScope>();
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isAwake = false;
  let work: Promise<void> = Promise.resolve();

  function wake(): void {
    if (!isStarted || isAwake) return;
    isAwake = true;
    work = work.then(step);
  }

  async function step(): Promise<void> {
    isAwake = false;
    try {
      prepare();
      const tool = checks.hasDue() ? await findTool() : undefined;
      if (!isStarted) return;
      if (tool) checks.startDue(tool);
      arm(checks.findDelay());
    } catch (error) {
      log.error(faultFields(error), 'drift checks could not be scheduled');
      arm(pauseMs);
    }
  }

  function prepare(): void {
    for (const [key, scope] of changed) {
      checks.reconcile(scope);
      changed.delete(key);
    }
    checks.correct();
  }

  function arm(delayMs: number | undefined): void {
    clearTimeout(timer);
    if (delayMs === undefined || !isStarted) return;
    timer = setTimeout(wake, delayMs);
    timer.unref();
  }

  const unsubscribe = outbox.listen(({ kind, recordId, status }) => {
    if (kind === 'capsule') changed.set(recordId, { capsuleId: recordId });
    else if (kind === 'workspace') changed.set(recordId, { workspaceId: recordId });
    else if (kind !== 'runner' && (kind !== 'run' || status === 'queued' || status === 'running')) return;
    wake();
  });
  return {
    start() {
      isStarted = true;
      changed.set('', {});
      wake();
    },
    async stop() {
      isStarted = false;
      unsubscribe();
      clearTimeout(timer);
      await work;
    },
  };
}
