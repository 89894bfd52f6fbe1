import type { ServerTool } from '#server/domains/execution/index';
import { createDeadline } from '#server/kernel/deadline';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { createDueChecks, type DueCheckPorts } from './due-checks.ts';
import type { ScheduleScope } from './store.ts';

type Deps = DueCheckPorts & {
  unattendedGate: WorkGate;
  outbox: Pick<Outbox, 'listen'>;
  /** Returns the tool of this machine, or why it has none. */
  findTool: () => Promise<ServerTool>;
};

export type DriftSchedule = { start(): void; stop(): Promise<void> };

/**
 * Checks Capsules for drift on their schedules, a few at once. It has one timer, set to the next due Capsule, and none
 * while no Capsule has a schedule. A check whose Capsule has a Run stays due; one for
 * which no tool is installed is postponed.
 */
export function createDriftSchedule(deps: Deps): DriftSchedule {
  const { log, unattendedGate, outbox, findTool } = deps;
  const checks = createDueChecks(deps);
  const changed = new Map<string, ScheduleScope>();
  let isStarted = false;

  async function step(): Promise<void> {
    prepare();
    const tool = checks.hasDue() ? await findTool() : undefined;
    if (tool !== undefined && isStarted && unattendedGate.mayAct()) checks.startDue(tool);
  }

  function prepare(): void {
    for (const [key, scope] of changed) {
      checks.reconcile(scope);
      changed.delete(key);
    }
    checks.correct();
  }

  const deadline = createDeadline({
    clock: deps.clock,
    log,
    gate: unattendedGate,
    findNext: checks.findNext,
    // Not within the event that wakes it, because it writes to the ledger.
    handlePast: () => Promise.resolve().then(step),
    failure: 'drift checks could not be scheduled',
  });

  const unsubscribe = outbox.listen(({ kind, recordId, status }) => {
    if (kind === 'capsule') changed.set(recordId, { capsuleId: recordId });
    else if (kind === 'workspace') changed.set(recordId, { workspaceId: recordId });
    else if (kind !== 'runner' && (kind !== 'run' || status === 'queued' || status === 'running')) return;
    if (isStarted) deadline.start();
  });
  return {
    start() {
      isStarted = true;
      changed.set('', {});
      deadline.start();
    },
    async stop() {
      isStarted = false;
      unsubscribe();
      await deadline.stop();
    },
  };
}
