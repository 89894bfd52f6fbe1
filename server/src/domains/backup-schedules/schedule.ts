import { createDeadline } from '#server/kernel/deadline';
import type { WorkGate } from '#server/kernel/work-gate';
import { type CopyPorts, createCopies } from './copies.ts';

export type BackupScheduler = ReturnType<typeof createBackupScheduler>;

/** Makes the backups of schedules, with one timer for the next one that is due. A missed time makes one backup. */
export function createBackupScheduler(ports: CopyPorts & { unattendedGate: WorkGate }) {
  const { clock, log, unattendedGate, store } = ports;
  const copies = createCopies(ports);
  const stopping = new AbortController();
  const mayAct = () => !stopping.signal.aborted && unattendedGate.mayAct();
  let isStarted = false;

  function findNext(): number | undefined {
    const times = [store.findNextDue(), store.listOpen()[0]?.retryAt].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
  async function handlePast(now: number): Promise<void> {
    for (const schedule of store.listDue(now)) copies.begin(schedule);
    for (const copy of store.listOpen())
      if (copy.retryAt <= now && mayAct()) await copies.attempt(copy, stopping.signal);
  }
  const deadline = createDeadline({
    clock,
    log,
    gate: unattendedGate,
    findNext,
    handlePast: (now) =>
      handlePast(now).catch((error) => {
        if (!stopping.signal.aborted) throw error;
      }),
    failure: 'scheduled backups could not be made',
  });
  return {
    start(): void {
      isStarted = true;
      deadline.start();
    },
    /** Handles what is due now, or sets the timer again after a change of a schedule. */
    wake(): void {
      if (isStarted) deadline.start();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await deadline.stop();
    },
  };
}
