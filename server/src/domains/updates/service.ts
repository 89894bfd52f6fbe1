import type { CapsuleRow } from '#server/domains/capsules/index';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { createUpdateSteps, isWanted, type UpdatePorts } from './steps.ts';

type Deps = UpdatePorts & {
  log: Log;
  unattendedGate: WorkGate;
  outbox: Pick<Outbox, 'listen'>;
};

/**
 * Updates Capsules with automatic updates to the newest commit of their lane: one plan per snapshot. It is applied
 * automatically only when it needs no approval and would run nothing new. Each step is stored, so that a restart
 * resumes it.
 */
export function createAutoUpdates(deps: Deps) {
  const { clock, store, capsules } = deps;
  const advance = createUpdateSteps(deps);
  let isStarted = false;
  let isStopped = false;
  let isAwake = false;
  let work: Promise<void> = Promise.resolve();
  const mayAct = () => isStarted && !isStopped && deps.unattendedGate.mayAct();

  async function advanceAll(): Promise<void> {
    for (const row of store.listOpen()) {
      if (!mayAct()) return;
      // One Capsule that fails does not block others; the next event retries it.
      await advance(row).catch((error) => deps.log.error(faultFields(error), 'an automatic update could not continue'));
    }
  }

  function wake(): void {
    if (isAwake || !mayAct()) return;
    isAwake = true;
    work = work.then(async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      isAwake = false;
      try {
        await advanceAll();
      } catch (error) {
        // Rows that cannot be read now are read again at the next event.
        deps.log.error(faultFields(error), 'automatic updates could not continue');
      }
    });
  }

  const unsubscribe = deps.outbox.listen(({ kind, status }) => {
    if (kind === 'source' || kind === 'capsule' || (kind === 'run' && status !== 'queued' && status !== 'running'))
      wake();
  });
  deps.unattendedGate.onOpen(wake);

  return {
    start(): void {
      isStarted = true;
      wake();
    },
    async stop() {
      isStopped = true;
      unsubscribe();
      await work;
    },
    /**
     * Called in the transaction of an `observe` sync: queues updates of the stale Capsules that have automatic updates
     * enabled.
     */
    want(behind: readonly CapsuleRow[], snapshotId: string): void {
      for (const { id } of behind) {
        if (isWanted(capsules.getRow(id))) store.want({ capsuleId: id, snapshotId, createdAt: clock.now() });
      }
    },
  };
}
